package io.godwit.plugin.event;

/** A part of the process's memory that has a limit. */
public enum MemoryKind {
    /** The heap of the JVM. */
    HEAP,
    /** Buffers outside the heap, of connections. */
    DIRECT
}
