package io.godwit.plugin.intercept;

import io.godwit.plugin.message.Message;
import java.util.Objects;

/** What an interceptor makes of a message. */
public sealed interface Interception {
    /** The message goes on as it is. */
    Interception UNCHANGED = new Unchanged();

    /** It goes on as it is. */
    record Unchanged() implements Interception {}

    /**
     * Another one goes on in its place. What may differ, {@link PublishInterceptor} and {@link DeliverInterceptor} say;
     * when it was received stays what it was.
     */
    record Changed(Message message) implements Interception {
        public Changed {
            Objects.requireNonNull(message);
        }
    }

    /**
     * It ends here.
     *
     * @param detail why, for operators; at most 200 characters of it are shown
     */
    record Dropped(String detail) implements Interception {
        public Dropped {
            Objects.requireNonNull(detail);
        }
    }
}
