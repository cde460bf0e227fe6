package io.godwit.mqtt.intercept;

import io.godwit.plugin.message.Message;

/** The result of a chain of interceptors. */
public sealed interface Intercepted {
    /** The message goes on, perhaps changed. */
    record Passed(Message message) implements Intercepted {}

    /** A plugin has dropped it. */
    record Dropped(String plugin, String detail) implements Intercepted {}

    /**
     * There is no answer: the message must not go on.
     *
     * @param wasAsked false when the plugin has not seen it, for lack of a thread or because the broker skips the
     *     plugin: it may be asked again later
     */
    record Failed(String plugin, String detail, boolean wasAsked) implements Intercepted {}
}
