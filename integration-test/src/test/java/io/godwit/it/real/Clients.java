package io.godwit.it.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.it.real.RealClient.Message;
import io.godwit.it.real.RealClient.Settings;
import io.godwit.it.real.RealClient.Will;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Client libraries that others wrote do with the broker what they do with others'; a subclass for each way to configure
 * it.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class Clients {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration SILENCE = Duration.ofMillis(300);

    private BrokerProcess broker;

    enum Library {
        PAHO_V3,
        PAHO_V5,
        HIVEMQ_V3,
        HIVEMQ_V5,
        VERTX_V3;

        RealClient make(Settings settings) throws Exception {
            return switch (this) {
                case PAHO_V3 -> new PahoV3(settings);
                case PAHO_V5 -> new PahoV5(settings);
                case HIVEMQ_V3 -> new HiveMqV3(settings);
                case HIVEMQ_V5 -> new HiveMqV5(settings);
                case VERTX_V3 -> new VertxV3(settings);
            };
        }
    }

    /** The broker, not started. */
    abstract BrokerProcess configured(Path directory) throws IOException;

    /** Those that are worth their time with this broker. */
    abstract Stream<Library> libraries();

    @BeforeAll
    void startBroker(@TempDir Path directory) throws Exception {
        broker = configured(directory);
        broker.start();
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    @ParameterizedTest
    @Tag("smoke")
    @MethodSource("libraries")
    void everyQosArrivesWithItsQos(Library library) throws Exception {
        Settings subscriber = settings(library, "qos-sub");
        try (RealClient receiving = library.make(subscriber);
                RealClient sending = library.make(settings(library, "qos-pub"))) {
            receiving.connect();
            sending.connect();
            receiving.subscribe(library + "/qos/+", 2);
            for (int qos = 0; qos <= 2; qos++) {
                sending.publish(library + "/qos/" + qos, "payload " + qos, qos, false);
                assertThat(subscriber.next(PATIENCE))
                        .isEqualTo(new Message(library + "/qos/" + qos, "payload " + qos, qos, false));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aRetainedMessageWaitsForItsSubscriberUntilItIsCleared(Library library) throws Exception {
        String topic = library + "/retained";
        Settings first = settings(library, "ret-1");
        Settings second = settings(library, "ret-2");
        try (RealClient sending = library.make(settings(library, "ret-pub"));
                RealClient early = library.make(first);
                RealClient late = library.make(second)) {
            sending.connect();
            sending.publish(topic, "kept", 1, true);
            early.connect();
            early.subscribe(topic, 1);
            assertThat(first.next(PATIENCE)).isEqualTo(new Message(topic, "kept", 1, true));
            sending.publish(topic, "", 1, true);
            late.connect();
            late.subscribe(topic, 1);
            assertThat(second.next(SILENCE)).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void theWillIsPublishedWhenTheCableIsCutAndNotAfterADisconnect(Library library) throws Exception {
        String topic = library + "/will";
        Settings watching = settings(library, "will-watch");
        try (RealClient watcher = library.make(watching);
                Cable cable = new Cable(broker.address())) {
            watcher.connect();
            watcher.subscribe(topic, 1);
            try (RealClient polite =
                    library.make(settings(library, "will-polite").withWill(new Will(topic, "not this", 1)))) {
                polite.connect();
                polite.disconnect();
            }
            Settings cut = Settings.of(cable.address(), library + "-will-cut").withWill(new Will(topic, "gone", 1));
            try (RealClient dying = library.make(cut)) {
                dying.connect();
                cable.cut();
                assertThat(watching.next(PATIENCE)).isEqualTo(new Message(topic, "gone", 1, false));
            }
        }
    }

    @ParameterizedTest
    @Tag("smoke")
    @MethodSource("libraries")
    void whatIsPublishedWhileTheSubscriberIsAwayWaitsForIt(Library library) throws Exception {
        String topic = library + "/away";
        try (RealClient coming = library.make(settings(library, "away").persistent())) {
            assertThat(coming.connect()).isFalse();
            coming.subscribe(topic, 2);
            coming.disconnect();
        }
        try (RealClient sending = library.make(settings(library, "away-pub"))) {
            sending.connect();
            for (int i = 0; i < 20; i++) {
                sending.publish(topic, Integer.toString(i), 1, false);
            }
            for (int i = 20; i < 40; i++) {
                sending.publish(topic, Integer.toString(i), 2, false);
            }
        }
        Settings back = settings(library, "away").persistent();
        try (RealClient again = library.make(back)) {
            assertThat(again.connect()).isTrue();
            List<String> payloads = new ArrayList<>();
            while (payloads.size() < 40) {
                Message message = back.next(PATIENCE);
                assertThat(message).as("message %d", payloads.size()).isNotNull();
                payloads.add(message.payload());
            }
            assertThat(payloads)
                    .isEqualTo(
                            IntStream.range(0, 40).mapToObj(Integer::toString).toList());
            assertThat(back.next(SILENCE)).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void whatWasNotAcknowledgedComesAgain(Library library) throws Exception {
        String topic = library + "/again";
        try (Cable cable = new Cable(broker.address());
                RealClient sending = library.make(settings(library, "again-pub"))) {
            Settings silent = Settings.of(cable.address(), library + "-again")
                    .persistent()
                    .withoutAcknowledgements();
            try (RealClient receiving = library.make(silent)) {
                receiving.connect();
                receiving.subscribe(topic, 1);
                sending.connect();
                sending.publish(topic, "once", 1, false);
                assertThat(silent.next(PATIENCE)).isEqualTo(new Message(topic, "once", 1, false));
                cable.cut();
            }
            Settings answering = settings(library, "again").persistent();
            try (RealClient receiving = library.make(answering)) {
                assertThat(receiving.connect()).isTrue();
                assertThat(answering.next(PATIENCE)).isEqualTo(new Message(topic, "once", 1, false));
                sending.publish(topic, "done", 1, false);
                assertThat(answering.next(PATIENCE)).isEqualTo(new Message(topic, "done", 1, false));
                receiving.disconnect();
            }
            Settings finished = settings(library, "again").persistent();
            try (RealClient receiving = library.make(finished)) {
                assertThat(receiving.connect()).isTrue();
                assertThat(finished.next(SILENCE)).isNull();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void aSharedSubscriptionGivesEachMessageToOneMember(Library library) throws Exception {
        String topic = library + "/shared";
        Settings one = settings(library, "share-1");
        Settings two = settings(library, "share-2");
        try (RealClient first = library.make(one);
                RealClient second = library.make(two);
                RealClient sending = library.make(settings(library, "share-pub"))) {
            first.connect();
            second.connect();
            sending.connect();
            first.subscribe("$share/group/" + topic, 1);
            second.subscribe("$share/group/" + topic, 1);
            for (int i = 0; i < 40; i++) {
                sending.publish(topic, Integer.toString(i), 1, false);
            }
            List<String> payloads = new ArrayList<>();
            for (Settings member : List.of(one, two)) {
                int before = payloads.size();
                Message message;
                while ((message = member.next(SILENCE)) != null) {
                    payloads.add(message.payload());
                }
                assertThat(payloads.size() - before)
                        .as("messages of %s", member.clientId())
                        .isBetween(1, 39);
            }
            assertThat(payloads)
                    .containsExactlyInAnyOrderElementsOf(
                            IntStream.range(0, 40).mapToObj(Integer::toString).toList());
        }
    }

    private Settings settings(Library library, String name) {
        return Settings.of(broker.address(), library + "-" + name);
    }
}
