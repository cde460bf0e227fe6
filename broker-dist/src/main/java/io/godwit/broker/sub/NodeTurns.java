package io.godwit.broker.sub;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.zip.CRC32C;

/** Chooses the node that serves something, so that all nodes with the same members choose the same one. */
public final class NodeTurns {
    private NodeTurns() {}

    /** Whether {@code self} has the largest hash of {@code nodes}, each hashed together with {@code what}. */
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
        long mixed = sum.getValue() * 0x9E37_79B9_7F4A_7C15L; // the checksum alone varies little between nodes
        return (mixed ^ mixed >>> 32) & Long.MAX_VALUE;
    }
}
