package io.godwit.api.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.api.FakeCounts;
import io.godwit.api.auth.Principal;
import io.godwit.api.auth.Role;
import io.godwit.api.contract.Contract;
import io.godwit.api.contract.Operation;
import io.godwit.api.http.ProblemException;
import io.godwit.api.route.Call;
import io.godwit.api.route.Handler;
import io.godwit.api.route.Reply;
import io.godwit.testing.Await;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CallerPartsTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Principal ONE = token("one", Optional.of("birds"));
    private static final Principal TWO = token("two", Optional.of("birds"));
    private static final Principal OTHER = token("one", Optional.empty());

    private final CallerParts parts = new CallerParts(2);
    private final FakeCounts counts = new FakeCounts();
    private final Operation aboutOne = Contract.load().operation("getClient");
    /** Requests that the port has, in order. */
    private final List<CompletableFuture<Reply>> asked = new ArrayList<>();

    private static Principal token(String name, Optional<String> tenant) {
        return new Principal(name, Role.VIEWER, tenant, Principal.Kind.TOKEN, "file");
    }

    private CompletableFuture<Reply> port(Call call) {
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        asked.add(answer);
        return answer;
    }

    private CompletableFuture<Reply> ask(CallerParts of, Handler port, Principal caller, Duration within) {
        Call call = new Call(
                Optional.of(caller), false, new JsonObject(), new JsonObject(), "", Optional.empty(), "", within);
        return of.bounded(aboutOne, port, counts).answer(call);
    }

    private CompletableFuture<Reply> ask(Principal caller) {
        return ask(parts, this::port, caller, LONG);
    }

    private static void refused(CompletableFuture<Reply> answer) {
        assertThat(answer).isCompletedExceptionally();
        Throwable failure = answer.handle((reply, cause) -> cause).join();
        assertThat(failure).isInstanceOf(ProblemException.class);
        assertThat(((ProblemException) failure).problem().status()).isEqualTo(429);
    }

    @Test
    void aCallerHasItsPartAndLeavesTheOthersTheirs() {
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isFalse();
        assertThat(parts.tryTake("b")).isTrue();
        parts.give("a");
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isFalse();
    }

    @Test
    void nothingIsKeptOfACallerWithNothingUnderWay() {
        for (int i = 0; i < 3; i++) {
            parts.tryTake("a");
        }
        parts.give("a");
        assertThat(parts.callers()).isEqualTo(1);
        parts.give("a");
        assertThat(parts.callers()).isZero();
    }

    @Test
    void aPartThatIsGivenBackTwiceCountsOnce() {
        parts.tryTake("a");
        parts.give("a");
        parts.give("a");
        assertThat(parts.callers()).isZero();
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isTrue();
        assertThat(parts.tryTake("a")).isFalse();
    }

    /** Nodes go on for a caller that has left, or has been told that it takes too long. */
    @Test
    void aRequestCountsUntilThePortHasAnsweredWhateverItsCallerDoes() {
        CompletableFuture<Reply> left = ask(ONE).copy();
        ask(ONE);
        left.cancel(false);
        refused(ask(ONE));
        assertThat(asked).hasSize(2);
        assertThat(counts.of("limited TOKEN")).isEqualTo(1);

        asked.get(0).complete(Reply.done());
        ask(ONE);
        assertThat(asked).hasSize(3);
        refused(ask(ONE));
        asked.get(1).completeExceptionally(new IllegalStateException("no such node"));
        asked.get(2).complete(Reply.done());
        assertThat(parts.callers()).isZero();
    }

    @Test
    void theTokensOfATenantShareTheirPart() {
        ask(ONE);
        ask(TWO);
        refused(ask(ONE));
        refused(ask(TWO));
        assertThat(ask(OTHER)).as("of the same name, without a tenant").isNotDone();
        asked.get(0).complete(Reply.done());
        assertThat(ask(TWO)).isNotDone();
        refused(ask(ONE));
    }

    /** Else it would give back the part of the next request, and the caller would have one too many. */
    @Test
    void anAnswerThatComesAfterItsRequestHasStoppedCountingGivesNothingBack() {
        CallerParts single = new CallerParts(1);
        ask(single, this::port, ONE, Duration.ofMillis(1));
        Await.until("it counts no more", () -> single.callers() == 0);
        assertThat(asked.get(0)).as("others may still wait for it").isNotDone();
        ask(single, this::port, ONE, LONG);
        assertThat(asked).hasSize(2);

        asked.get(0).complete(Reply.done());
        assertThat(single.callers()).isEqualTo(1);
        refused(ask(single, this::port, ONE, LONG));
        asked.get(1).complete(Reply.done());
        assertThat(single.callers()).isZero();
    }

    @Test
    void aRequestThatFailsAtOnceCountsNoMore() {
        CompletableFuture<Reply> failed = ask(
                parts,
                call -> {
                    throw new IllegalStateException("a fault");
                },
                ONE,
                LONG);
        assertThat(failed).isCompletedExceptionally();
        assertThat(parts.callers()).isZero();
    }
}
