package io.godwit.mqtt.subscribe;

/** The memory budget for the notes of all {@link ReplayQueue}s of the node. Thread-safe. */
public interface NoteRoom {
    /** Heap bytes that one queue may take now. */
    long free();

    /** Adds bytes taken by a queue; negative when it releases some. */
    void add(long bytes);
}
