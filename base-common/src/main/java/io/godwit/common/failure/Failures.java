package io.godwit.common.failure;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Finds the failure in the exceptions that futures wrap around it. */
public final class Failures {
    /** A plugin could pass us a circle of causes. */
    private static final int MOST_WRAPPERS = 16;

    private Failures() {}

    /**
     * The first cause of {@code failure} that is neither a {@link CompletionException} nor an
     * {@link ExecutionException}; a wrapper without a cause is returned itself.
     */
    public static Throwable cause(Throwable failure) {
        Throwable cause = failure;
        for (int i = 0; i < MOST_WRAPPERS && isWrapper(cause); i++) {
            Throwable next = cause.getCause();
            if (next == null) {
                break;
            }
            cause = next;
        }
        return cause;
    }

    private static boolean isWrapper(Throwable failure) {
        return failure instanceof CompletionException || failure instanceof ExecutionException;
    }
}
