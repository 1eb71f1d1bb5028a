% Input of the differential suite: Erlang processes.
-module(loop).
-export([main/0]).
main() ->
    Self = self(),
    [spawn(fun() -> Self ! {N, lists:sum(lists:seq(1, N * 100))} end) || N <- lists:seq(1, 20)],
    io:format("~p~n", [lists:sort([receive M -> M end || _ <- lists:seq(1, 20)])]).
