package io.godwit.broker.start;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The opened parts of a {@code Broker}, which are closed in the reverse order. Used by the threads that start and close
 * the broker, one at a time.
 */
public final class OpenedParts {
    private static final Logger LOG = LoggerFactory.getLogger(OpenedParts.class);

    /** The part to close next comes first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final AutoCloseable last;

    /** @param last closed after all others, and also if nothing else was opened */
    public OpenedParts(AutoCloseable last) {
        this.last = last;
    }

    /** Called as soon as a part is open, so that it is closed if the start fails. */
    public void push(AutoCloseable part) {
        parts.push(part);
    }

    public boolean isEmpty() {
        return parts.isEmpty();
    }

    /** Closes all parts. A part that fails is logged and does not keep the others open. */
    public void closeAll() {
        parts.addLast(last);
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) { // go on and close the other parts
                LOG.error("not closed cleanly part={}", part, e);
            }
        }
    }
}
