package io.godwit.mqtt.subscribe;

/** What all {@link ReplayQueue}s of the node take for their notes. Thread-safe. */
public interface NoteRoom {
    /** Bytes of the heap that one queue may take now. */
    long free();

    /** A queue takes so many more, or fewer when negative. */
    void add(long bytes);
}
