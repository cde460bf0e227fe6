package io.godwit.it.crash;

import io.godwit.it.crash.NodesPlan.Step;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** The nodes of one cluster, numbered from 0, as {@link NodesRun} needs them. Used by one thread. */
interface Nodes {
    List<InetSocketAddress> addresses();

    boolean runs(int node) throws IOException;

    /** What a node has written about itself, for a failure message. */
    String said(int node) throws IOException;

    /** Returns when the trouble is over; its node may not serve yet. */
    void pass(Step step) throws IOException;
}
