package io.godwit.plugin.event;

/** A part of the process's memory that has a limit. */
public enum MemoryKind {
    /** The heap of the JVM. */
    HEAP,
    /** Buffers of connections outside the heap. */
    DIRECT
}
