package io.godwit.api.gateway;

import io.godwit.api.auth.Principal;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ApiCounts;
import io.godwit.api.route.Call;
import io.godwit.api.route.Handler;
import io.godwit.api.route.Reply;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Counts what is under way of each caller, and bounds it, so that one caller leaves some of what a node does at a time
 * for others. A caller is a token, or all tokens of a tenant. Only callers with something under way are stored. Any
 * thread: the map is concurrent because requests begin on the event loop and end on the threads of the ports.
 */
final class CallerParts {
    /**
     * Requests of a caller that are no searches: a quarter of the questions about one client, session or message that
     * the ports answer at a time.
     */
    static final int MOST_REQUESTS = 8;

    /** Large answers of a caller that are being encoded or wait for it: a quarter of those of all callers. */
    static final int MOST_ENCODED = 4;

    /**
     * Multiple of the time for the ports after which a request no longer counts. One that never ends must not use up
     * the part of its caller.
     */
    private static final int MAX_TIMES = 10;

    /** Bounded by its port, for each tenant: an application may publish many messages at a time. */
    private static final String PUBLISH = "publishMessage";

    private final int most;
    private final Map<String, Integer> underWay = new ConcurrentHashMap<>();

    CallerParts(int most) {
        this.most = most;
    }

    /** Whether one more may begin; if so, counts it. */
    boolean tryTake(String caller) {
        boolean isWithin = underWay.merge(caller, 1, Integer::sum) <= most;
        if (!isWithin) {
            give(caller);
        }
        return isWithin;
    }

    /** One that was counted has ended. */
    void give(String caller) {
        underWay.computeIfPresent(caller, (name, count) -> count == 1 ? null : count - 1);
    }

    /** Callers with something under way. */
    int callers() {
        return underWay.size();
    }

    /** The handler, bounded for each caller, unless the operation has another bound. */
    Handler bounded(Operation operation, Handler handler, ApiCounts counts) {
        // what needs no role, such as health, is answered to anybody, however much its token has under way
        boolean hasOtherBound =
                operation.isSearch() || operation.isStream() || operation.id().equals(PUBLISH);
        return hasOtherBound || operation.role().isEmpty() ? handler : call -> answer(handler, call, counts);
    }

    private CompletableFuture<Reply> answer(Handler handler, Call call, ApiCounts counts) {
        if (call.caller().isEmpty()) {
            return handler.answer(call);
        }
        String caller = call.caller().map(Principal::share).orElseThrow();
        if (!tryTake(caller)) {
            counts.limited(ApiCounts.Bound.TOKEN);
            return CompletableFuture.failedFuture(new ProblemException(Problem.tooMany(
                    most + " requests of this token or its tenant are under way", Duration.ofSeconds(1))));
        }
        CompletableFuture<Reply> answer;
        try {
            answer = handler.answer(call);
        } catch (RuntimeException e) { // a request that fails must not count as under way forever
            answer = CompletableFuture.failedFuture(e);
        }
        answer.copy()
                .orTimeout(call.within().multipliedBy(MAX_TIMES).toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((reply, failure) -> give(caller));
        return answer;
    }
}
