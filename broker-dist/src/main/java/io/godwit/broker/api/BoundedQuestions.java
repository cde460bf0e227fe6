package io.godwit.broker.api;

import io.godwit.api.port.NotServingException;
import io.godwit.common.failure.Failures;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many questions of one kind a node asks of its stores at a time. A question counts until it has ended, also
 * after its caller has timed out: what it reads is still being read. Any thread.
 *
 * <p>Questions about the data of one tenant have at most three quarters of the places, rounded down, so that a tenant
 * whose questions hang leaves some for the others. Of four places these are three: the API runs as many searches at a
 * time for a token, or for all tokens of a tenant.
 */
public final class BoundedQuestions {
    /**
     * Multiple of the caller's time after which a question no longer counts. A question that never ends must not use up
     * the bound.
     */
    static final int MAX_TIMES = 10;
    /** For questions that are not about one tenant. They have the same share; no tenant has this name. */
    public static final String ALL_TENANTS = "";

    private final int most;
    private final int mostOfTenant;
    private final String about;
    private final Function<Throwable, Throwable> reasonOf;
    /**
     * Questions under way by tenant; a tenant without one has no entry. Guarded by itself, because questions begin and
     * end on any thread, and both bounds must be looked at together.
     */
    private final Map<String, Integer> underWay = new HashMap<>();

    /**
     * @param most questions at a time, of all tenants together
     * @param about what the questions are about, in the plural
     * @param reasonOf the exception that the caller gets for a failure
     */
    public BoundedQuestions(int most, String about, Function<Throwable, Throwable> reasonOf) {
        this.most = most;
        this.mostOfTenant = mostOfTenant(most);
        this.about = about;
        this.reasonOf = reasonOf;
    }

    /** How many of {@code most} places one tenant can have. */
    public static int mostOfTenant(int most) {
        return Math.max(1, most * 3 / 4);
    }

    /**
     * Asks {@code question}. Fails with {@link NotServingException} if too many are under way, and with what
     * {@code reasonOf} gives for a failure or a timeout.
     *
     * @param tenant whose data the question is about, or {@link #ALL_TENANTS}
     */
    public <T> CompletableFuture<T> ask(String tenant, Duration within, Supplier<CompletableFuture<T>> question) {
        String refusal = begins(tenant);
        if (refusal != null) {
            return CompletableFuture.failedFuture(new NotServingException(refusal));
        }
        CompletableFuture<T> answer = begin(question);
        CompletableFuture<T> counted = answer.copy()
                .orTimeout(within.multipliedBy(MAX_TIMES).toNanos(), TimeUnit.NANOSECONDS)
                .whenComplete((done, failure) -> ended(tenant));
        return counted.copy().orTimeout(within.toNanos(), TimeUnit.NANOSECONDS).exceptionally(failure -> {
            throw new CompletionException(reasonOf.apply(Failures.cause(failure)));
        });
    }

    /** Counts a question; the reason if there is no place for it. */
    private @Nullable String begins(String tenant) {
        synchronized (underWay) {
            int all = underWay.values().stream().mapToInt(Integer::intValue).sum();
            if (all >= most) {
                return "this node asks " + most + " questions about " + about + " already; ask again later";
            }
            int own = underWay.getOrDefault(tenant, 0);
            if (own >= mostOfTenant) {
                return "this node asks " + mostOfTenant + " questions about " + about + " of "
                        + (tenant.equals(ALL_TENANTS) ? "all tenants" : "this tenant") + " already; ask again later";
            }
            underWay.put(tenant, own + 1);
            return null;
        }
    }

    private void ended(String tenant) {
        synchronized (underWay) {
            underWay.computeIfPresent(tenant, (same, own) -> own == 1 ? null : own - 1);
        }
    }

    private static <T> CompletableFuture<T> begin(Supplier<CompletableFuture<T>> question) {
        try {
            return question.get();
        } catch (RuntimeException e) { // a question that throws must not count as under way forever
            return CompletableFuture.failedFuture(e);
        }
    }
}
