package io.godwit.it.crash;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How a run is judged: a history that breaks a promise is kept, and one whose end was not reached. */
final class Verdict {
    /** A run to its end. */
    interface Run {
        /** Returns what has happened. */
        List<Event> events() throws IOException, InterruptedException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(Verdict.class);

    private Verdict() {}

    /** Runs, and judges; {@code history}, to which the run writes, is saved below {@code target} if need be. */
    static List<Violation> of(History history, long seed, Run run) throws IOException, InterruptedException {
        List<Violation> violations = List.of();
        boolean judged = false;
        try {
            violations = Checker.check(run.events());
            judged = true;
        } finally {
            if (!judged || !violations.isEmpty()) {
                Path file = Path.of("target", "history-" + seed + ".gz");
                history.save(file);
                LOG.info("history saved as {}", file.toAbsolutePath());
            }
        }
        return violations;
    }
}
