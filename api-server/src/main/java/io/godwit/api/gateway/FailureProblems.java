package io.godwit.api.gateway;

import io.godwit.api.contract.Operation;
import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ChangedMeanwhileException;
import io.godwit.api.port.NotAllowedException;
import io.godwit.api.port.NotServingException;
import io.godwit.api.port.OperationException;
import io.godwit.common.failure.Failures;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns the failure of a request into the problem that its caller gets. Any thread. */
final class FailureProblems {
    private static final Logger LOG = LoggerFactory.getLogger(FailureProblems.class);

    private FailureProblems() {}

    /** The problem for a fault of the broker. */
    static Problem fault() {
        return new Problem(500, "fault", "A fault of the broker", "the broker's log tells more");
    }

    /** The problem for a failure; an unexpected one is logged and is a fault. */
    static Problem of(@Nullable Throwable failure, Operation operation) {
        Throwable cause = failure == null ? null : Failures.cause(failure);
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof OperationException refused) {
            return of(refused);
        }
        if (cause instanceof NotAllowedException) {
            return Problem.forbidden(String.valueOf(cause.getMessage()));
        }
        if (cause instanceof ChangedMeanwhileException) {
            return Problem.changed(String.valueOf(cause.getMessage()));
        }
        if (cause instanceof NotServingException) {
            return Problem.unavailable(String.valueOf(cause.getMessage()));
        }
        LOG.error("request failed operation={}", operation.id(), cause);
        return fault();
    }

    private static Problem of(OperationException refused) {
        String detail = String.valueOf(refused.getMessage());
        return switch (refused.kind()) {
            case INVALID -> Problem.invalid(refused.field(), detail);
            case UNKNOWN -> Problem.notFound(detail);
            case STALE -> new Problem(409, "stale", "The range has changed", detail);
            case REFUSED -> Problem.refused(refused.field(), detail);
            case BUSY -> Problem.tooMany(detail);
            case UNREACHABLE -> Problem.unavailable(detail);
            case FAILED -> new Problem(503, "not-finished", "Not done to its end", detail);
        };
    }
}
