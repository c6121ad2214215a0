/* SPDX-License-Identifier: MIT
 *
 * x86-64 context switch, System V ABI: rbx rbp r12-r15, the control words of
 * SSE and x87.  The saved frame, from the stack pointer up:
 *   0 mxcsr, 4 x87 control word, 8 r15, 16 r14, 24 r13, 32 r12, 40 rbx,
 *   48 rbp, 56 return address.
 */
	.text

/* void grt_switch(void **save_sp, void *load_sp) */
	.globl grt_switch
	.hidden grt_switch
	.type grt_switch, @function
	.p2align 4
grt_switch:
	.cfi_startproc
	endbr64
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	pushq %rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq %r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq %r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq %r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq %r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr (%rsp)
	fnstcw 4(%rsp)
	/* Loading the control words is slow; they hardly ever differ. */
	movl (%rsp), %eax
	movzwl 4(%rsp), %ecx
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	cmpl (%rsp), %eax
	jne 2f
1:	cmpw 4(%rsp), %cx
	jne 3f
4:	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	popq %r15
	.cfi_adjust_cfa_offset -8
	popq %r14
	.cfi_adjust_cfa_offset -8
	popq %r13
	.cfi_adjust_cfa_offset -8
	popq %r12
	.cfi_adjust_cfa_offset -8
	popq %rbx
	.cfi_adjust_cfa_offset -8
	popq %rbp
	.cfi_adjust_cfa_offset -8
	/* A return would always be mispredicted: it is not our caller's. */
	popq %rcx
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rcx
	jmpq *%rcx
	.cfi_restore rip
	.cfi_adjust_cfa_offset 64
2:	ldmxcsr (%rsp)
	jmp 1b
3:	fldcw 4(%rsp)
	jmp 4b
	.cfi_endproc
	.size grt_switch, .-grt_switch

/* First code on a new stack: rbx holds the entry function.  Outermost frame. */
	.globl grt_switch_entry
	.hidden grt_switch_entry
	.type grt_switch_entry, @function
grt_switch_entry:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	xorl %ebp, %ebp
	callq *%rbx
	ud2
	.cfi_endproc
	.size grt_switch_entry, .-grt_switch_entry

/* void grt_call_on_stack(void (*fn)(void *), void *arg, void *top) */
	.globl grt_call_on_stack
	.hidden grt_call_on_stack
	.type grt_call_on_stack, @function
	.p2align 4
grt_call_on_stack:
	.cfi_startproc
	endbr64
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	movq %rsp, %rbp
	.cfi_def_cfa_register rbp
	leaq -128(%rdx), %rsp
	andq $-16, %rsp
	movq %rdi, %rax
	movq %rsi, %rdi
	callq *%rax
	movq %rbp, %rsp
	popq %rbp
	.cfi_def_cfa rsp, 8
	retq
	.cfi_endproc
	.size grt_call_on_stack, .-grt_call_on_stack

	.section .note.GNU-stack, "", @progbits
