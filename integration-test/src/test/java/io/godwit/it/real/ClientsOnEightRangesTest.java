package io.godwit.it.real;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;

/** A library of each protocol version, with sessions spread over eight ranges and nothing sent before it is stored. */
@Tag("full")
class ClientsOnEightRangesTest extends Clients {
    @Override
    BrokerProcess configured(Path directory) throws IOException {
        return new BrokerProcess(directory)
                .property("inbox_store_initial_ranges", 8)
                .property("inbox_store_early_push", false);
    }

    @Override
    Stream<Library> libraries() {
        return Stream.of(Library.PAHO_V3, Library.HIVEMQ_V5);
    }
}
