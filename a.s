.intel_syntax noprefix
1:
push rax
dec rcx
jne 1b
