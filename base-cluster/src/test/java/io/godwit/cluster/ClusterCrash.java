package io.godwit.cluster;

import java.io.IOException;

/** What the others see of a killed process: its connections break, and it says nothing. */
public final class ClusterCrash {
    private ClusterCrash() {}

    public static void crash(Cluster cluster) throws IOException {
        cluster.crash();
    }
}
