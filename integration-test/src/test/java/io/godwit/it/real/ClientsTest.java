package io.godwit.it.real;

import io.godwit.it.broker.BrokerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** All libraries with a broker as it is shipped. */
class ClientsTest extends Clients {
    @Override
    BrokerProcess configured(Path directory) throws IOException {
        return new BrokerProcess(directory);
    }

    @Override
    Stream<Library> libraries() {
        return Stream.of(Library.values());
    }
}
