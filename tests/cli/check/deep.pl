% SPDX-License-Identifier: MIT
% Terms far deeper than the C stack, types that include others, constrained variables: a line for each verdict.
:- regtype lt/1.
lt(e).
lt(n(L, X)) :- lt(L), int(X).
:- regtype ls/1.
ls([]).
ls([X|Xs]) :- int(X), ls(Xs).
:- regtype u/1.
u(X) :- atm(X).
u(n(L, X)) :- lt(L), atm(X).
u(X) :- lt(X).
:- pred a(X) : lt(X).
a(_).
:- pred b(X) : ls(X).
b(_).
:- pred g(X) : ground(X).
g(_).
:- pred c(X) : u(X).
c(_).
:- pred v(X) : var(X).
v(_).
:- pred nv(X) : nonvar(X).
nv(_).
:- initialization(main).
t(G) :- ( catch(G, contract_violated(_), fail) -> write(yes) ; write(no) ), nl.
left(0, e, _) :- !.
left(N, n(L, N), Z) :- N1 is N - 1, left(N1, L, Z).
lst(0, Z, Z) :- !.
lst(N, [N|L], Z) :- N1 is N - 1, lst(N1, L, Z).
main :- left(300000, T, _), t(a(T)), t(g(T)), lst(300000, L, []), t(b(L)), t(b(L)), lst(300000, L2, [x]), t(b(L2)), lst(200000, L3, _), t(g(L3)),
  t(c(n(e, 1))), t(c(n(e, x))), t(c(foo)), t(c(n(e, 1.5))), left(30000, T3, _), t(c(n(T3,1))),
  fd_domain(F, 1, 5), t(v(F)), t(nv(F)), t(g(f(F))), halt.
