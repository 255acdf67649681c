% SPDX-License-Identifier: MIT
% backtrack SEED N: N random searches over partly built trees and lists. After each binding, failure, cut, exception, setarg and copy the cached
% verdict is compared with a check written in Prolog. Prints how many comparisons were made, of which how many were true.
:- dynamic(kept/1).
:- regtype tree/1.
tree(empty).
tree(tree(L, X, R)) :- tree(L), int(X), tree(R).
:- regtype ints/1.
ints([]).
ints([X|Xs]) :- int(X), ints(Xs).
:- regtype forest/1.
forest(f(T, L, F)) :- tree(T), ints(L), forest(F).
forest(end(X)) :- num(X).
forest(7).
:- pred unused(X) : tree(X).
unused(_).

p_tree(V) :- var(V), !, fail.
p_tree(empty).
p_tree(tree(L, X, R)) :- p_tree(L), integer(X), p_tree(R).
p_ints(V) :- var(V), !, fail.
p_ints([]).
p_ints([X|Xs]) :- integer(X), p_ints(Xs).
p_forest(V) :- var(V), !, fail.
p_forest(f(T, L, F)) :- p_tree(T), p_ints(L), p_forest(F).
p_forest(end(X)) :- number(X).
p_forest(7).

same(Type, T) :-
	atom_concat(p_, Type, P), G =.. [P, T],
	( rf_is(Type, T) -> A = 1 ; A = 0 ),
	( \+ \+ G -> B = 1 ; B = 0 ),
	g_read(n, N), N1 is N + 1, g_assign(n, N1),
	g_read(good, K), K1 is K + B, g_assign(good, K1),
	( A =:= B -> true ; write(difference(Type, cached(A), prolog(B), T)), nl, halt(1) ).

rnd(N, R) :- g_read(seed, S), S1 is (S * 1103515245 + 12345) /\ 0x7fffffff, g_assign(seed, S1), R is (S1 >> 8) mod N.

% a term with holes
make(0, Type, V, [V-Type|Vs], Vs) :- !.
make(D, tree, T, Vs0, Vs) :- D1 is D - 1, rnd(4, R),
	( R =:= 0 -> T = empty, Vs = Vs0 ; T = tree(L, 1, S), make(D1, tree, L, Vs0, Vs1), make(D1, tree, S, Vs1, Vs) ).
make(D, ints, T, Vs0, Vs) :- D1 is D - 1, T = [D|S], make(D1, ints, S, Vs0, Vs).
make(D, forest, T, Vs0, Vs) :- D1 is D - 1, T = f(A, B, C), make(D1, tree, A, Vs0, Vs1), make(D1, ints, B, Vs1, Vs2), make(D1, forest, C, Vs2, Vs).

% what a hole may become: something right, wrong, or with another hole
fill(empty). fill([]). fill(7). fill(tree(empty, 3, empty)). fill(x). fill(tree(_, 1, empty)). fill([1, 2]). fill([_|[]]). fill(end(1.5)).

explore(0, _, _, _) :- !.
explore(D, Type, T, Vs) :-
	same(Type, T), pick(Vs, V), D1 is D - 1, rnd(3, How),
	rnd(12, Other), ( Other < 6 -> aside(Other, Type, T) ; true ),
	( var(V) ->
	  ( How =:= 0 -> ( fill(X), V = X, same(Type, T), explore(D1, Type, T, Vs), fail ; true )
	  ; How =:= 1 -> fill_at_random(V), same(Type, T), explore(D1, Type, T, Vs)
	  ; \+ ( fill_at_random(V), same(Type, T), explore(D1, Type, T, Vs), fail ), explore(D1, Type, T, Vs) )
	; explore(D1, Type, T, Vs) ),
	same(Type, T).
% what else may happen to a term, or beside it
aside(0, Type, T) :- compound(T), !, functor(T, _, N), rnd(N, R), I is R + 1, fill_at_random(X), setarg(I, T, X), same(Type, T).
aside(1, Type, T) :- compound(T), !, functor(T, _, N), rnd(N, R), I is R + 1, rnd(4, K), J is K + 1, nth(J, [[], empty, 7, x], X), setarg(I, T, X, false), same(Type, T).
aside(2, Type, T) :- !, findall(T, member(_, [1, 2]), Ts), ( member(U, Ts), same(Type, U), fail ; true ), same(Type, T).
aside(3, Type, T) :- !, assertz(kept(T)), retract(kept(U)), !, same(Type, U), same(Type, T).
aside(4, Type, T) :- !, catch(( term_variables(T, Vs), bind_all(Vs), same(Type, T), throw(back) ), back, true), same(Type, T).
aside(5, Type, T) :- !, ( make(4, Type, U, Us, []), settle(Us), same(Type, U), big(2000, L), same(ints, L), fail ; true ), same(Type, T).
aside(_, _, _).
bind_all([]).
bind_all([V|Vs]) :- fill_at_random(V), bind_all(Vs).
big(0, []) :- !.
big(N, [N|L]) :- N1 is N - 1, big(N1, L).

fill_at_random(V) :- findall(X, fill(X), Xs), length(Xs, N), rnd(N, R), I is R + 1, nth(I, Xs, V).
pick(Vs, V) :- length(Vs, N), ( N =:= 0 -> V = none ; rnd(N, R), I is R + 1, nth(I, Vs, V-_) ).

% most holes get something right at once
settle([]).
settle([V-Type|Vs]) :- rnd(6, R), ( R =:= 0 -> true ; right(Type, V) ), settle(Vs).
right(tree, empty).
right(ints, []).
right(forest, 7).

run(0) :- !.
run(N) :-
	rnd(3, K), ( K =:= 0 -> Type = tree ; K =:= 1 -> Type = ints ; Type = forest ),
	( \+ ( make(3, Type, T, Vs, []), settle(Vs), explore(3, Type, T, Vs) ) -> true ; true ),
	rnd(2, Keep),
	( Keep =:= 0 -> make(4, Type, U, Us, []), settle(Us), explore(2, Type, U, Us) ; true ), !,
	N1 is N - 1, run(N1).

:- initialization(main).
main :- argument_list([SA, NA]), number_atom(S, SA), number_atom(N, NA), g_assign(seed, S), g_assign(n, 0), g_assign(good, 0),
	run(N), g_read(n, C), g_read(good, G), write(compared(C, G)), nl, halt(0).
