/* SPDX-License-Identifier: MIT
 *
 * Two libraries of one layout: plug_sleep() calls usleep(1000) from the same
 * offset, once with a frame pointer (ONE), once with anything in it.
 */
	.text
	.globl plug_sleep
	.type plug_sleep, @function
plug_sleep:
	.cfi_startproc
	pushq %rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
#ifdef ONE
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	nop
	nop
#else
	movl $8, %ebp
#endif
	movl $1000, %edi
	call usleep@PLT
	popq %rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size plug_sleep, .-plug_sleep
	.section .note.GNU-stack, "", @progbits
