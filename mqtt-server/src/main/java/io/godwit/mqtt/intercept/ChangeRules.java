package io.godwit.mqtt.intercept;

import io.godwit.plugin.message.Message;
import org.jspecify.annotations.Nullable;

/** Restricts the changes of an interceptor. Any thread. */
@FunctionalInterface
public interface ChangeRules {
    /** Why {@code after} must not replace {@code before}, for operators; null when it may. */
    @Nullable
    String wrongWith(Message before, Message after);
}
