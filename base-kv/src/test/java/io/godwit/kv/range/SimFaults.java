package io.godwit.kv.range;

import java.nio.ByteBuffer;
import java.util.List;

/** What a simulation does to ranges to show that it would be found. */
public final class SimFaults {
    private SimFaults() {}

    /** Has what comes to a new range by itself go ahead of what is still on its way from the old one. */
    public static void forgetForwarding(Range child) {
        child.requests().release();
    }

    /** The same log entry, but for what a merge copies. */
    public static byte[] withoutCopies(byte[] entry) {
        if (RangeEntry.isMutations(ByteBuffer.wrap(entry))
                || !(RangeCommand.decode(ByteBuffer.wrap(entry)) instanceof RangeCommand.Copy copy)) {
            return entry;
        }
        return new RangeCommand.Copy(copy.epoch(), copy.rightId(), List.of()).encode();
    }
}
