package io.godwit.mqtt.intercept;

import io.godwit.plugin.message.Message;
import org.jspecify.annotations.Nullable;

/** What an interceptor may change. Any thread. */
@FunctionalInterface
public interface ChangeRules {
    /** Why {@code after} may not go on in the place of {@code before}, for operators; null when it may. */
    @Nullable
    String wrongWith(Message before, Message after);
}
