package io.godwit.broker.sub;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.zip.CRC32C;

/** Whose turn it is to serve something: the same answer on all nodes that know the same members. */
public final class Turns {
    private Turns() {}

    /** Whether {@code self} is the node out of {@code nodes} that the largest hash of it and {@code what} chooses. */
    public static boolean isOf(String self, Collection<String> nodes, String what) {
        long own = hash(self, what);
        boolean isThere = false;
        for (String node : nodes) {
            if (node.equals(self)) {
                isThere = true;
                continue;
            }
            long other = hash(node, what);
            if (other > own || other == own && node.compareTo(self) > 0) {
                return false;
            }
        }
        return isThere;
    }

    private static long hash(String node, String what) {
        CRC32C sum = new CRC32C();
        sum.update((node + '\n' + what).getBytes(StandardCharsets.UTF_8));
        long mixed = sum.getValue() * 0x9E37_79B9_7F4A_7C15L; // a sum alone changes little with the node
        return (mixed ^ mixed >>> 32) & Long.MAX_VALUE;
    }
}
