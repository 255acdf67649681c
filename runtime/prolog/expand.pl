% SPDX-License-Identifier: MIT
% From a Prolog source with contracts to one with wrappers, after Section 4 of the paper.
%
%   :- regtype NAME/1.      the clauses that follow define a regular type: heads NAME(CONSTANT) or NAME(f(V, …)) with
%                           distinct variables, bodies of types of these variables
%   :- pred HEAD : PRE => POST.     either part may be left out; formulas with , and ;
%
% Clauses of a predicate with contracts get another name; under its own name a wrapper checks the call, calls it and
% checks the success. A single conjunction before (or after) the call becomes a sequence of rf_must/3, which leaves no
% choice point; several contracts or a disjunction are reified: each literal is evaluated once, equal preconditions
% share one status. What is not understood ends the expansion with a message and exit code 2.
:- op(1150, fx, pred).
:- op(1150, fx, regtype).
:- op(1110, xfx, =>).
:- op(1105, xfx, :).
:- dynamic(contract/4).
:- dynamic(type/1).
:- dynamic(types_are_out/0).
:- dynamic(source/1).
:- dynamic(unchecked/0).

main(In, Out, Checks) :-
	( Checks == no -> assertz(unchecked) ; true ),
	catch(expand(In, Out), E, ( format(user_error, "refrain: ~w: ~w~n", [In, E]), halt(2) )),
	halt(0).

expand(In, Out) :-
	open(In, read, S),
	read_all(S),
	close(S),
	open(Out, write, O),
	set_output(O),
	write(':- op(1105, xfx, :).\n'),
	emit_foreign,
	findall(T, source(T), Ts),
	emit_all(Ts),
	emit_types,
	findall(P, contract(P, _, _, _), Ps0),
	sort(Ps0, Ps),
	( member_of(P, Ps), emit_wrapper(P), fail ; true ),
	close(O).

read_all(S) :-
	repeat,
	read_term(S, T, [variable_names(_)]),
	( T == end_of_file -> ! ; note(T), fail ).

note((:- op(P, A, O))) :- !, op(P, A, O), assertz(source((:- op(P, A, O)))).
note((:- regtype Spec)) :- !, note_types(Spec).
note((:- pred A)) :- !, note_contract(A).
note(T) :- assertz(source(T)).

note_types((A, B)) :- !, note_types(A), note_types(B).
note_types(Name/1) :- !, assertz(type(Name)).
note_types(Spec) :- throw('regtype NAME/1 expected: types have no parameters'(Spec)).

note_contract(_) :- unchecked, !.
note_contract(A) :-
	parts(A, Head, Pre, Post),
	callable(Head), Head =.. [F|Args], length(Args, N),
	( distinct_vars(Args) -> true ; throw('the arguments of a contract must be different variables'(Head)) ),
	assertz(contract(F/N, Head, Pre, Post)).

parts((H : Pre => Post), H, Pre, Post) :- !.
parts((H => Post), H, true, Post) :- !.
parts((H : Pre), H, Pre, true) :- !.
parts(A, _, _, _) :- throw('HEAD : PRE => POST expected'(A)).

distinct_vars(Args) :- all_vars(Args), length(Args, N), sort(Args, S), length(S, N).
all_vars([]).
all_vars([X|Xs]) :- var(X), all_vars(Xs).
member_of(X, [X|_]).
member_of(X, [_|Xs]) :- member_of(X, Xs).

% ---- what is in every file

emit_foreign :-
	write(':- foreign(rf_type(+atom, +term), [fct_name(rf_pl_type)]).\n'),
	write(':- foreign(rf_must(+atom, +term, +atom), [fct_name(rf_pl_must)]).\n'),
	write(':- foreign(rf_is(+atom, +term), [fct_name(rf_pl_is)]).\n'),
	write(':- foreign(rf_violated(+atom), [fct_name(rf_pl_violated)]).\n').

emit_all([]).
emit_all([T|Ts]) :- emit(T), emit_all(Ts).

emit((:- initialization(G))) :- !, emit_types, put_clause((:- initialization(G))).
emit((:- D)) :- !, put_clause((:- D)).
emit((A --> B)) :- !, expand_term((A --> B), C), emit(C).
emit((H :- _)) :- of_type(H), !.
emit(H) :- of_type(H), !.
emit((H :- B)) :- !, renamed(H, H1), put_clause((H1 :- B)).
emit(H) :- renamed(H, H1), put_clause(H1).

of_type(H) :- callable(H), functor(H, F, 1), type(F).

renamed(H, H1) :- H =.. [F|As], length(As, N), contract(F/N, _, _, _), !, real_name(F, R), H1 =.. [R|As].
renamed(H, H).
real_name(F, R) :- atom_concat('rf real ', F, R).

% writes a clause so that it can be read again
put_clause(C) :- \+ \+ ( numbervars(C, 0, _), write_term(C, [quoted(true), numbervars(true), ignore_ops(false)]), write('.\n') ).

% ---- regular types become tables

% once, before the first initialization that may run the program
emit_types :- types_are_out, !.
emit_types :-
	assertz(types_are_out),
	( type(F), findall(C, ( defined(F, H, B), constructor(F, H, B, C) ), Cs0), wider_first(Cs0, Cs), one_each(Cs, F),
	  ( Cs == [] -> throw('a type without clauses'(F)) ; true ),
	  put_clause((:- initialization(rf_type(F, Cs)))), G =.. [F, X], \+ predicate_property(G, built_in), put_clause((G :- rf_is(F, X))), fail ; true ).

% types that it includes come first: where one of them has the term, the constructors are not asked
wider_first(Cs0, Cs) :- findall(is(T), member_of(is(T), Cs0), As), findall(C, ( member_of(C, Cs0), C \= is(_) ), Bs), append(As, Bs, Cs).

% no term is left to two clauses
one_each([], _).
one_each([term(G, N, _)|Cs], F) :- !, ( member_of(term(G, N, _), Cs) -> throw('two clauses of a type have the same term'(F, G/N)) ; one_each(Cs, F) ).
one_each([C|Cs], F) :- ( member_of(C, Cs) -> throw('two clauses of a type are the same'(F)) ; one_each(Cs, F) ).

defined(F, H, B) :- source(T), ( T = (H :- B) -> true ; T = H, B = true ), callable(H), functor(H, F, 1).

constructor(F, H, B, C) :-
	arg(1, H, X),
	( var(X) -> alias(F, X, B, C)
	; float(X) -> throw('a floating-point constant cannot be told from others'(H))
	; atomic(X) -> ( B == true -> C = const(X) ; throw('a constant has no conditions'(H)) )
	; X =.. [G|Args], ( distinct_vars(Args) -> true ; throw('a regular type has one level of different variables'(H)) ),
	  length(Args, N), ( N =< 64 -> true ; throw('more than 64 arguments'(G/N)) ), types_of(Args, B, Types), known_goals(B, Args), C = term(G, N, Types) ).

alias(_, X, B, is(T)) :- nonvar(B), B =.. [T, Y], X == Y, !.
alias(F, _, _, _) :- throw('a clause for any value needs one type'(F)).

types_of([], _, []).
types_of([V|Vs], B, [T|Ts]) :- ( type_in(B, V, T0) -> T = T0 ; T = term ), types_of(Vs, B, Ts).
type_in((A, B), V, T) :- !, ( type_in(A, V, T) -> true ; type_in(B, V, T) ).
type_in(G, V, T) :- nonvar(G), G =.. [T, W], W == V.
known_goals(true, _) :- !.
known_goals((A, B), Vs) :- !, known_goals(A, Vs), known_goals(B, Vs).
known_goals(G, Vs) :- G =.. [T, W], member_of(V, Vs), V == W, known_type(T), !.
known_goals(G, _) :- throw('not a type of an argument'(G)).
known_type(T) :- type(T), !.
known_type(T) :- primitive(T).
primitive(int). primitive(atm). primitive(num). primitive(flt). primitive(term). primitive(atomic).
primitive(var). primitive(nonvar). primitive(ground). primitive(callable).

% ---- wrappers

emit_wrapper(F/N) :-
	findall(c(H, Pre, Post), contract(F/N, H, Pre, Post), Cs),
	length(Args, N), H =.. [F|Args], real_name(F, R), Real =.. [R|Args],
	same_heads(Cs, H, Pairs),
	( Pairs = [Pre-Post], conjunction(Pre), conjunction(Post)
	  -> site(calls, H, Pre, Post, S1), site(success, H, Pre, Post, S2),
	     must(Pre, S1, Before),
	     ( Pre == true -> must(Post, S2, After) ; must(Post, S2, After) )
	; reified(Pairs, H, Before, After) ),
	join(Before, Real, B1), join(B1, After, Body),
	put_clause((H :- Body)).

same_heads([], _, []).
same_heads([c(H, Pre, Post)|Cs], H, [Pre-Post|Ps]) :- same_heads_copy(Cs, H, Ps).
same_heads_copy([], _, []).
same_heads_copy([C|Cs], H, [Pre-Post|Ps]) :- copy_term(C, c(H, Pre, Post)), same_heads_copy(Cs, H, Ps).

conjunction(F) :- var(F), !, throw('a formula is a variable'(F)).
conjunction((A, B)) :- !, conjunction(A), conjunction(B).
conjunction((_ ; _)) :- !, fail.
conjunction(_).

must(true, _, true) :- !.
must((A, B), S, G) :- !, must(A, S, GA), must(B, S, GB), join(GA, GB, G).
must(L, S, rf_must(T, X, S)) :- L =.. [T, X], known_type(T), !.
must(L, S, ( catch(\+ \+ L, _, fail) -> true ; rf_violated(S) )).

join(true, G, G) :- !.
join(G, true, G) :- !.
join((A, B), C, (A, D)) :- !, join(B, C, D).
join(A, B, (A, B)).

site(Kind, H, Pre, Post, Site) :-
	\+ \+ ( copy_term(x(H, Pre, Post), x(H1, P1, Q1)), numbervars(x(H1, P1, Q1), 0, _),
		write_to_atom(A, (H1 : P1 => Q1)), atom_concat(Kind, ' condition of ', K), atom_concat(K, A, S), g_assign(rf_site, S) ),
	g_read(rf_site, Site).

% each literal once; equal preconditions share a status
reified(Pairs, H, Before, After) :-
	literals_of_pre(Pairs, [], Lits0), dedupe(Lits0, Lits),
	statuses(Lits, Rs, G1),
	pre_values(Pairs, Lits, Rs, Ps, G2),
	Pairs = [Pre-Post|_], site(calls, H, Pre, Post, S1), any_of(Ps, Any),
	join(G1, G2, G12),
	join(G12, ( (R0 is Any, R0 =:= 1) -> true ; rf_violated(S1) ), Before),
	posts(Pairs, Ps, H, After).

literals_of_pre([], L, L).
literals_of_pre([Pre-_|Ps], L0, L) :- literals(Pre, L0, L1), literals_of_pre(Ps, L1, L).
literals(true, L, L) :- !.
literals((A, B), L0, L) :- !, literals(A, L0, L1), literals(B, L1, L).
literals((A ; B), L0, L) :- !, literals(A, L0, L1), literals(B, L1, L).
literals(X, L0, [X|L0]).
dedupe([], []).
dedupe([X|Xs], Ys) :- dedupe(Xs, Zs), ( identical(X, Zs) -> Ys = Zs ; Ys = [X|Zs] ).
identical(X, [Y|Ys]) :- ( X == Y -> true ; identical(X, Ys) ).

statuses([], [], true).
statuses([L|Ls], [R|Rs], G) :-
	( L =.. [T, X], known_type(T) -> C = rf_is(T, X) ; C = catch(\+ \+ L, _, fail) ),
	statuses(Ls, Rs, G1), join(( C -> R = 1 ; R = 0 ), G1, G).

pre_values([], _, _, [], true).
pre_values([Pre-_|Ps], Lits, Rs, [V|Vs], G) :- value(Pre, Lits, Rs, E), pre_values(Ps, Lits, Rs, Vs, G1), join(V is E, G1, G).
value(true, _, _, 1) :- !.
value((A, B), L, R, EA /\ EB) :- !, value(A, L, R, EA), value(B, L, R, EB).
value((A ; B), L, R, EA \/ EB) :- !, value(A, L, R, EA), value(B, L, R, EB).
value(X, [Y|_], [R|_], R) :- X == Y, !.
value(X, [_|Ys], [_|Rs], R) :- value(X, Ys, Rs, R).
any_of([V], V) :- !.
any_of([V|Vs], V \/ E) :- any_of(Vs, E).

posts([], _, _, true).
posts([Pre-Post|Ps], [V|Vs], H, G) :-
	posts(Ps, Vs, H, G1),
	( Post == true -> G = G1
	; site(success, H, Pre, Post, S), literals(Post, [], L0), dedupe(L0, Ls), statuses(Ls, Rs, G2), value(Post, Ls, Rs, E),
	  join(G2, ( (R is E, R =:= 1) -> true ; rf_violated(S) ), G3),
	  join(( V =:= 1 -> G3 ; true ), G1, G) ).
