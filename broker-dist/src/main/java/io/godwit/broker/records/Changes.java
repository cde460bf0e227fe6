package io.godwit.broker.records;

import io.godwit.api.port.ChangedMeanwhileException;
import io.godwit.api.port.LimitReachedException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.broker.api.StoreFailures;
import io.godwit.common.failure.Failures;
import io.godwit.dist.record.RecordStore;
import io.godwit.dist.record.RecordStore.Changed;
import io.godwit.dist.record.RecordStore.Decision;
import io.godwit.dist.record.RecordsRefusedException;
import io.godwit.dist.record.StoredRecord;
import io.godwit.kv.client.Deadline;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Changes records for operators, a bounded number at a time, and translates failures for the API. Any thread. */
final class Changes {
    private static final StoreFailures FAILURES = new StoreFailures(LoggerFactory.getLogger(Changes.class));
    static final int MAX_UNDER_WAY = 64;

    private final RecordStore store;
    /** Atomic: changes begin and end on any thread. */
    private final AtomicInteger underWay = new AtomicInteger();

    Changes(RecordStore store) {
        this.store = store;
    }

    /** As {@link RecordStore#change}, but fails with the exceptions of an API port. */
    CompletableFuture<@Nullable StoredRecord> change(String kind, String name, Decision decision, Duration within) {
        return changed(kind, name, decision, within).thenApply(done -> done.before());
    }

    /** As {@link RecordStore#changed}, but fails with the exceptions of an API port. */
    CompletableFuture<Changed> changed(String kind, String name, Decision decision, Duration within) {
        if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
            underWay.decrementAndGet();
            return CompletableFuture.failedFuture(
                    new NotServingException("this node makes " + MAX_UNDER_WAY + " changes already; ask again later"));
        }
        return store.changed(kind, name, decision, new Deadline(System.nanoTime() + within.toNanos()))
                .copy()
                .orTimeout(Math.max(1, within.toNanos()), TimeUnit.NANOSECONDS)
                .whenComplete((changed, failure) -> underWay.decrementAndGet())
                .exceptionally(failure -> {
                    throw new CompletionException(reasonOf(failure));
                });
    }

    private static RuntimeException reasonOf(Throwable failure) {
        Throwable cause = Failures.cause(failure);
        if (cause instanceof RecordsRefusedException) {
            return new OperationException(OperationException.Kind.REFUSED, String.valueOf(cause.getMessage()));
        }
        return cause instanceof IllegalArgumentException
                        || cause instanceof LimitReachedException
                        || cause instanceof NotAllowedException
                        || cause instanceof ChangedMeanwhileException
                ? (RuntimeException) cause
                : new NotServingException(
                        FAILURES.told("the dist store does not answer, it may be stored later", cause));
    }
}
