package io.godwit.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.testing.MemoryLinks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

class MemoryLinksTest extends LinksContract {
    private final MemoryLinks.Net net = new MemoryLinks.Net();
    private final List<MemoryLinks> nodes = new ArrayList<>();

    @Override
    protected Links node(String id) {
        MemoryLinks node = net.node(id, 1);
        nodes.add(node);
        return node;
    }

    @Override
    protected void join() {
        nodes.forEach(net::join);
    }

    @Override
    protected void cut() {
        net.cut("a", "b");
        net.cut("b", "a");
    }

    @Override
    protected void mend() {
        net.mend("a", "b");
        net.mend("b", "a");
    }

    @Override
    protected void until(String what, BooleanSupplier condition) {
        net.deliverAll();
        assertThat(condition.getAsBoolean()).as(what).isTrue();
    }
}
