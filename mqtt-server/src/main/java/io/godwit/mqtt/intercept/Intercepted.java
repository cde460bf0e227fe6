package io.godwit.mqtt.intercept;

import io.godwit.plugin.message.Message;

/** What a chain of interceptors has come to. */
public sealed interface Intercepted {
    /** It goes on, changed perhaps. */
    record Passed(Message message) implements Intercepted {}

    /** A plugin has dropped it. */
    record Dropped(String plugin, String detail) implements Intercepted {}

    /**
     * There is no answer: the message must not go on.
     *
     * @param wasAsked false when the plugin has not seen it, for want of a thread or while it is not called: it may be
     *     asked again later
     */
    record Failed(String plugin, String detail, boolean wasAsked) implements Intercepted {}
}
