% SPDX-License-Identifier: MIT
% The paper's seven structures, N insertions each: structures NAME N. Elements are pseudo-random integers.

% ---- amqueue: an amortised queue of two lists
:- regtype list/1.
list([]).
list([X|Xs]) :- int(X), list(Xs).
:- regtype queue/1.
queue(queue(F, B)) :- list(F), list(B).
:- pred q_put(Q, X, Q1) : (queue(Q), int(X)) => queue(Q1).
q_put(queue(F, B), X, queue(F, [X|B])).
:- pred q_get(Q, X, Q1) : queue(Q) => (int(X), queue(Q1)).
q_get(queue([X|F], B), X, queue(F, B)) :- !.
q_get(queue([], B), X, Q) :- q_reverse(B, [], F), q_get(queue(F, []), X, Q).
q_reverse([], L, L).
q_reverse([X|Xs], L0, L) :- q_reverse(Xs, [X|L0], L).

% ---- set: an ordered list
:- pred s_put(S, X, S1) : (list(S), int(X)) => list(S1).
s_put([], X, [X]).
s_put([Y|Ys], X, S) :- ( X > Y -> S = [Y|Zs], s_put(Ys, X, Zs) ; X =:= Y -> S = [Y|Ys] ; S = [X, Y|Ys] ).

% ---- tree: unbalanced
:- regtype tree/1.
tree(empty).
tree(tree(L, X, R)) :- tree(L), int(X), tree(R).
:- pred t_put(T, X, T1) : (tree(T), int(X)) => tree(T1).
t_put(empty, X, tree(empty, X, empty)).
t_put(tree(L, Y, R), X, T) :-
	( X < Y -> t_put(L, X, L1), T = tree(L1, Y, R) ; X > Y -> t_put(R, X, R1), T = tree(L, Y, R1) ; T = tree(L, Y, R) ).

% ---- AVL: balance <, -, > in each node
:- regtype balance/1.
balance(<). balance(-). balance(>).
:- regtype avl/1.
avl(t).
avl(t(K, B, L, R)) :- int(K), balance(B), avl(L), avl(R).
:- pred a_put(T, K, T1) : (avl(T), int(K)) => avl(T1).
a_put(T0, K, T) :- a_ins(T0, K, T, _).
:- pred a_ins(T, K, T1, D) : (avl(T), int(K)) => (avl(T1), atm(D)).
a_ins(t, K, t(K, <, t, t), yes).
a_ins(t(K0, B, L, R), K, T, Changed) :-
	( K < K0 -> a_ins(L, K, L1, Up), a_rebalance(Up, left, B, K0, L1, R, T, Changed)
	; K > K0 -> a_ins(R, K, R1, Up), a_rebalance(Up, right, B, K0, L, R1, T, Changed)
	; T = t(K0, B, L, R), Changed = no ).
% < balanced, - left higher, > right higher
a_rebalance(no, _, B, K, L, R, t(K, B, L, R), no).
a_rebalance(yes, left, <, K, L, R, t(K, -, L, R), yes).
a_rebalance(yes, left, >, K, L, R, t(K, <, L, R), no).
a_rebalance(yes, left, -, K, L, R, T, no) :- a_right(L, K, R, T).
a_rebalance(yes, right, <, K, L, R, t(K, >, L, R), yes).
a_rebalance(yes, right, -, K, L, R, t(K, <, L, R), no).
a_rebalance(yes, right, >, K, L, R, T, no) :- a_left(R, K, L, T).
a_right(t(K1, -, L1, R1), K, R, t(K1, <, L1, t(K, <, R1, R))).
a_right(t(K1, >, L1, t(K2, B2, L2, R2)), K, R, t(K2, <, t(K1, B1, L1, L2), t(K, B3, R2, R))) :- a_split(B2, B1, B3).
a_left(t(K1, >, L1, R1), K, L, t(K1, <, t(K, <, L, L1), R1)).
a_left(t(K1, -, t(K2, B2, L2, R2), R1), K, L, t(K2, <, t(K, B1, L, L2), t(K1, B3, R2, R1))) :- a_split(B2, B1, B3).
a_split(<, <, <).
a_split(-, <, >).
a_split(>, -, <).

% ---- heap: leftist
:- regtype heap/1.
heap(nil).
heap(h(N, K, L, R)) :- int(N), int(K), heap(L), heap(R).
:- pred h_put(H, K, H1) : (heap(H), int(K)) => heap(H1).
h_put(H, K, H1) :- h_merge(H, h(1, K, nil, nil), H1).
:- pred h_merge(A, B, C) : (heap(A), heap(B)) => heap(C).
h_merge(nil, H, H) :- !.
h_merge(H, nil, H) :- !.
h_merge(h(N1, K1, L1, R1), h(N2, K2, L2, R2), H) :-
	( K1 =< K2 -> h_merge(R1, h(N2, K2, L2, R2), M), h_node(K1, L1, M, H)
	; h_merge(h(N1, K1, L1, R1), R2, M), h_node(K2, L2, M, H) ).
h_node(K, A, B, h(N, K, L, R)) :-
	h_rank(A, RA), h_rank(B, RB),
	( RA >= RB -> L = A, R = B, N is RB + 1 ; L = B, R = A, N is RA + 1 ).
h_rank(nil, 0).
h_rank(h(N, _, _, _), N).

% ---- B-tree: 2-3 nodes
:- regtype btree/1.
btree(e).
btree(n2(A, X, B)) :- btree(A), int(X), btree(B).
btree(n3(A, X, B, Y, C)) :- btree(A), int(X), btree(B), int(Y), btree(C).
:- regtype grown/1.
grown(same(T)) :- btree(T).
grown(split(A, X, B)) :- btree(A), int(X), btree(B).
:- pred b_put(T, X, T1) : (btree(T), int(X)) => btree(T1).
b_put(T, X, T1) :- b_ins(T, X, G), b_root(G, T1).
b_root(same(T), T).
b_root(split(A, X, B), n2(A, X, B)).
:- pred b_ins(T, X, G) : (btree(T), int(X)) => grown(G).
b_ins(e, X, split(e, X, e)).
b_ins(n2(A, K, B), X, G) :-
	( X < K -> b_ins(A, X, R), b_two(R, left, A, K, B, G)
	; X > K -> b_ins(B, X, R), b_two(R, right, A, K, B, G)
	; G = same(n2(A, K, B)) ).
b_ins(n3(A, K, B, M, C), X, G) :-
	( X < K -> b_ins(A, X, R), b_three(R, left, A, K, B, M, C, G)
	; X =:= K -> G = same(n3(A, K, B, M, C))
	; X < M -> b_ins(B, X, R), b_three(R, mid, A, K, B, M, C, G)
	; X > M -> b_ins(C, X, R), b_three(R, right, A, K, B, M, C, G)
	; G = same(n3(A, K, B, M, C)) ).
b_two(same(T), left, _, K, B, same(n2(T, K, B))).
b_two(same(T), right, A, K, _, same(n2(A, K, T))).
b_two(split(L, X, R), left, _, K, B, same(n3(L, X, R, K, B))).
b_two(split(L, X, R), right, A, K, _, same(n3(A, K, L, X, R))).
b_three(same(T), left, _, K, B, M, C, same(n3(T, K, B, M, C))).
b_three(same(T), mid, A, K, _, M, C, same(n3(A, K, T, M, C))).
b_three(same(T), right, A, K, B, M, _, same(n3(A, K, B, M, T))).
b_three(split(L, X, R), left, _, K, B, M, C, split(n2(L, X, R), K, n2(B, M, C))).
b_three(split(L, X, R), mid, A, K, _, M, C, split(n2(A, K, L), X, n2(R, M, C))).
b_three(split(L, X, R), right, A, K, B, M, _, split(n2(A, K, B), M, n2(L, X, R))).

% ---- red-black, after Okasaki
:- regtype color/1.
color(red). color(black).
:- regtype rb/1.
rb(e).
rb(r(C, L, X, R)) :- color(C), rb(L), int(X), rb(R).
:- pred r_put(T, X, T1) : (rb(T), int(X)) => rb(T1).
r_put(T, X, r(black, L, Y, R)) :- r_ins(T, X, r(_, L, Y, R)).
:- pred r_ins(T, X, T1) : (rb(T), int(X)) => rb(T1).
r_ins(e, X, r(red, e, X, e)).
r_ins(r(C, L, Y, R), X, T) :-
	( X < Y -> r_ins(L, X, L1), r_balance(C, L1, Y, R, T)
	; X > Y -> r_ins(R, X, R1), r_balance(C, L, Y, R1, T)
	; T = r(C, L, Y, R) ).
:- pred r_balance(C, L, X, R, T) : (color(C), rb(L), int(X), rb(R)) => rb(T).
r_balance(black, r(red, r(red, A, X, B), Y, C), Z, D, r(red, r(black, A, X, B), Y, r(black, C, Z, D))) :- !.
r_balance(black, r(red, A, X, r(red, B, Y, C)), Z, D, r(red, r(black, A, X, B), Y, r(black, C, Z, D))) :- !.
r_balance(black, A, X, r(red, r(red, B, Y, C), Z, D), r(red, r(black, A, X, B), Y, r(black, C, Z, D))) :- !.
r_balance(black, A, X, r(red, B, Y, r(red, C, Z, D)), r(red, r(black, A, X, B), Y, r(black, C, Z, D))) :- !.
r_balance(C, L, X, R, r(C, L, X, R)).

% ---- the loop; each step is undone by nothing, so that what was learnt stays
put(amqueue, Q0, X, Q) :- q_put(Q0, X, Q1), ( X /\ 3 =:= 0 -> q_get(Q1, _, Q) ; Q = Q1 ).
put(set, A, X, B) :- s_put(A, X, B).
put(tree, A, X, B) :- t_put(A, X, B).
put(avl, A, X, B) :- a_put(A, X, B).
put(heap, A, X, B) :- h_put(A, X, B).
put(btree, A, X, B) :- b_put(A, X, B).
put(rb, A, X, B) :- r_put(A, X, B).
start(amqueue, queue([], [])).
start(set, []).
start(tree, empty).
start(avl, t).
start(heap, nil).
start(btree, e).
start(rb, e).

loop(0, _, S, S, T, T) :- !.
loop(N, W, S0, S, T0, T) :-
	S1 is (S0 * 1103515245 + 12345) /\ 0x7fffffff, X is S1 >> 8,
	put(W, T0, X, T1), !,
	N1 is N - 1,
	loop(N1, W, S1, S, T1, T).

% a set is copied up to the new element: after each thousand insertions what is left of the copies is given back
run(set, N, S0, T0, T) :- N > 1024, !, findall(S1-T1, loop(1024, set, S0, S1, T0, T1), [S2-T2]), N1 is N - 1024, run(set, N1, S2, T2, T).
run(W, N, S, T0, T) :- loop(N, W, S, _, T0, T).

:- initialization(main).
main :- argument_list([W, NA]), number_atom(N, NA), start(W, T0), run(W, N, 7, T0, T), sum(T, Sum), write(Sum), nl, halt.
sum(T, S) :- integer(T), !, S = T.
sum(T, 0) :- atomic(T), !.
sum(T, S) :- T =.. [_|As], sum_all(As, 0, S).
sum_all([], S, S).
sum_all([A|As], S0, S) :- sum(A, X), S1 is (S0 * 31 + X) /\ 0xfffffff, sum_all(As, S1, S).
