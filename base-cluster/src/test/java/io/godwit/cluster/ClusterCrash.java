package io.godwit.cluster;

import java.io.IOException;

/** Simulates a killed process as other nodes see it: its connections break, and it sends nothing. */
public final class ClusterCrash {
    private ClusterCrash() {}

    public static void crash(Cluster cluster) throws IOException {
        cluster.crash();
    }
}
