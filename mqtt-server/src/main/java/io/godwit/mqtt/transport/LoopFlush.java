package io.godwit.mqtt.transport;

/**
 * Something that collects output while an event loop iterates and lets it go once at the end; see
 * {@link LoopContext#flushLater}.
 */
public interface LoopFlush {
    /** Called on the loop, once per {@link LoopContext#flushLater}. */
    void flush();
}
