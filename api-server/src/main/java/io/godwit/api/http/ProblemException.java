package io.godwit.api.http;

/** Ends a request with a problem. Without a stack trace: callers can cause any number of these. */
public final class ProblemException extends RuntimeException {
    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public Problem problem() {
        return problem;
    }
}
