package io.godwit.it.kv;

import io.godwit.it.kv.fault.Links;
import io.godwit.it.kv.fault.SmallDisk;
import io.godwit.it.kv.node.NodeOptions;
import io.godwit.it.kv.node.NodeOptions.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where the nodes of a cluster live, numbered from 0, and what links them. Used by one thread at a time. */
interface Hosts extends AutoCloseable {
    /** Finds room for nodes, and starts none. */
    interface Maker {
        /**
         * @param directory for their data, where that lies with us
         * @param logs for their logs
         */
        Hosts make(int nodes, Path directory, Path logs, Fault fault) throws IOException;
    }

    String describe();

    Links links();

    /** What can be done to nodes here. */
    Set<Trouble> troubles();

    /** The disk of the first node; null when it has none of its own. */
    @Nullable
    SmallDisk disk();

    /** Where a node is to have its data, as it sees it. */
    Path data(int node);

    TestNode node(int number, NodeOptions options) throws IOException;

    /** Takes a node's interface away; only where {@link #troubles} has it. */
    void unplug(int node) throws IOException;

    void plug(int node) throws IOException;

    /** Gives back all that was made, also after a failure. The nodes are closed. */
    @Override
    void close() throws IOException;
}
