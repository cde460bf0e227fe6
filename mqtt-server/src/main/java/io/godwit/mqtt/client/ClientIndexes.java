package io.godwit.mqtt.client;

import io.godwit.mqtt.transport.loop.LoopContext;
import java.util.List;
import java.util.stream.IntStream;

/** The {@link ClientIndex} of each event loop. Immutable; each is confined to its loop. */
public final class ClientIndexes {
    private final List<ClientIndex> byLoop;

    /** @param loops number of loops */
    public ClientIndexes(int loops) {
        byLoop = IntStream.range(0, loops).mapToObj(i -> new ClientIndex()).toList();
    }

    public ClientIndex of(LoopContext loop) {
        return byLoop.get(loop.index());
    }
}
