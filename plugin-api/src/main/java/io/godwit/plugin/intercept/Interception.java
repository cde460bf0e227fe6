package io.godwit.plugin.intercept;

import io.godwit.plugin.message.Message;
import java.util.Objects;

/** An interceptor's decision about a message. */
public sealed interface Interception {
    /** The one value of {@link Unchanged}. */
    Interception UNCHANGED = new Unchanged();

    /** The message goes on as it is. */
    record Unchanged() implements Interception {}

    /**
     * Another message goes on in its place. {@link PublishInterceptor} and {@link DeliverInterceptor} say which fields
     * may differ; the time of receipt stays the same.
     */
    record Changed(Message message) implements Interception {
        public Changed {
            Objects.requireNonNull(message);
        }
    }

    /**
     * The message is dropped.
     *
     * @param detail why, for operators; only the first 200 characters are shown
     */
    record Dropped(String detail) implements Interception {
        public Dropped {
            Objects.requireNonNull(detail);
        }
    }
}
