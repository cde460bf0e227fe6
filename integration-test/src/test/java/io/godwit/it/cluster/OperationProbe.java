package io.godwit.it.cluster;

import io.godwit.testing.Pace;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

/** Does one thing again and again on a thread of its own, and notes when that succeeds. */
final class OperationProbe implements Runnable {
    private static final long PERIOD_MILLIS = 30;

    private final String name;
    private final Operation operation;
    private final Successes successes = new Successes();
    private final Set<String> failures = new ConcurrentSkipListSet<>();
    private volatile boolean stopped;

    /** One attempt. */
    interface Operation {
        /** Fails when it does not succeed, as a test does or by an exception. */
        void attempt(int number) throws Exception;
    }

    OperationProbe(String name, Operation operation) {
        this.name = name;
        this.operation = operation;
    }

    String name() {
        return name;
    }

    Successes successes() {
        return successes;
    }

    /** Why attempts failed. */
    Set<String> failures() {
        return failures;
    }

    void stop() {
        stopped = true;
    }

    @Override
    public void run() {
        for (int number = 0; !stopped; number++) {
            try {
                operation.attempt(number);
                successes.add();
            } catch (Exception | AssertionError e) {
                if (failures.size() < 20) {
                    failures.add(e.toString());
                }
            }
            Pace.passMillis(PERIOD_MILLIS);
        }
    }
}
