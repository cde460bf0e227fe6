package io.godwit.mqtt.transport.loop;

/** Collects output while an event loop iterates and releases it once at the end; see {@link LoopContext#flushLater}. */
public interface LoopFlush {
    /** Called on the loop, once per {@link LoopContext#flushLater}. */
    void flush();
}
