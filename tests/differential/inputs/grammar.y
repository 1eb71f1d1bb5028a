%token NUMBER
%left '+' '-'
%left '*' '/'
%%
list: | list expression '\n' { print($2); } ;
expression: NUMBER | expression '+' expression { $$ = $1 + $3; }
    | expression '-' expression | expression '*' expression | expression '/' expression
    | '(' expression ')' { $$ = $2; } ;
%%
