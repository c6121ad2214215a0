/* SPDX-License-Identifier: MIT
 *
 * aarch64 context switch, AAPCS64: x19-x30, d8-d15, fpcr.  The saved frame,
 * from the stack pointer up: x19-x28, x29 (frame), x30 (link), d8-d15, fpcr.
 */
	.text

/* void grt_switch(void **save_sp, void *load_sp) */
	.globl grt_switch
	.hidden grt_switch
	.type grt_switch, %function
	.p2align 4
grt_switch:
	.cfi_startproc
	sub sp, sp, #176
	.cfi_adjust_cfa_offset 176
	stp x19, x20, [sp, #0]
	stp x21, x22, [sp, #16]
	stp x23, x24, [sp, #32]
	stp x25, x26, [sp, #48]
	stp x27, x28, [sp, #64]
	stp x29, x30, [sp, #80]
	.cfi_rel_offset x29, 80
	.cfi_rel_offset x30, 88
	stp d8, d9, [sp, #96]
	stp d10, d11, [sp, #112]
	stp d12, d13, [sp, #128]
	stp d14, d15, [sp, #144]
	mrs x9, fpcr
	str x9, [sp, #160]
	mov x10, sp
	str x10, [x0]
	mov sp, x1
	ldr x10, [sp, #160]
	cmp x9, x10
	b.eq 1f
	msr fpcr, x10
1:	ldp x19, x20, [sp, #0]
	ldp x21, x22, [sp, #16]
	ldp x23, x24, [sp, #32]
	ldp x25, x26, [sp, #48]
	ldp x27, x28, [sp, #64]
	ldp x29, x30, [sp, #80]
	ldp d8, d9, [sp, #96]
	ldp d10, d11, [sp, #112]
	ldp d12, d13, [sp, #128]
	ldp d14, d15, [sp, #144]
	add sp, sp, #176
	.cfi_adjust_cfa_offset -176
	.cfi_restore x29
	.cfi_restore x30
	br x30
	.cfi_endproc
	.size grt_switch, .-grt_switch

/* First code on a new stack: x19 holds the entry function.  Outermost frame. */
	.globl grt_switch_entry
	.hidden grt_switch_entry
	.type grt_switch_entry, %function
grt_switch_entry:
	.cfi_startproc
	.cfi_undefined x30
	mov x29, #0
	mov x30, #0
	blr x19
	brk #0
	.cfi_endproc
	.size grt_switch_entry, .-grt_switch_entry

/* void grt_call_on_stack(void (*fn)(void *), void *arg, void *top) */
	.globl grt_call_on_stack
	.hidden grt_call_on_stack
	.type grt_call_on_stack, %function
	.p2align 4
grt_call_on_stack:
	.cfi_startproc
	stp x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov x29, sp
	.cfi_def_cfa_register x29
	and x2, x2, #-16
	mov sp, x2
	mov x9, x0
	mov x0, x1
	blr x9
	mov sp, x29
	.cfi_def_cfa_register sp
	ldp x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_endproc
	.size grt_call_on_stack, .-grt_call_on_stack

	.section .note.GNU-stack, "", %progbits
