package io.godwit.broker.auth.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.auth.http.ServiceCircuit.Asking;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServiceCircuitTest {
    private long nanos = -5;
    private final ServiceCircuit circuit = new ServiceCircuit(() -> nanos, () -> {});

    private void pass(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    private boolean mayAsk(long source) {
        return !circuit.ask(source).isRefused();
    }

    private void late(long source, int times) {
        for (int i = 0; i < times; i++) {
            Asking asking = circuit.ask(source);
            assertThat(asking.isRefused()).isFalse();
            circuit.failed(asking, true);
        }
    }

    private void openForAll() {
        for (int source = 1; source <= 5; source++) {
            late(source, 2);
        }
        assertThat(mayAsk(99)).isFalse();
    }

    @Test
    void aSourceShutsOutItselfOnly() {
        late(1, 10);
        assertThat(mayAsk(1)).isFalse();
        assertThat(circuit.isWell()).as("nobody has had an answer since").isFalse();
        late(2, 7);
        assertThat(mayAsk(2)).isTrue();

        Asking other = circuit.ask(3);
        assertThat(other.isRefused()).isFalse();
        circuit.succeeded(other);
        assertThat(circuit.isWell()).isTrue();

        pass(6);
        Asking trial = circuit.ask(1);
        assertThat(trial.isRefused()).isFalse();
        assertThat(mayAsk(1)).as("a second request during the trial").isFalse();
        circuit.succeeded(trial);
        assertThat(mayAsk(1)).isTrue();
    }

    @Test
    void failuresOfSeveralSourcesOpenTheCircuitOfAll() {
        openForAll();
        assertThat(circuit.isWell()).isFalse();
    }

    @Test
    void whatNoRequestCanCauseCountsWhateverTheSource() {
        for (int i = 0; i < 10; i++) {
            circuit.failed(circuit.ask(1), false);
        }
        assertThat(mayAsk(2)).isFalse();
        assertThat(circuit.sources()).isZero();
    }

    /** Otherwise a source that asks all the time would have each trial, and keep the circuit open. */
    @Test
    void aSourceWhoseTrialFailsLeavesTheNextOneToAnother() {
        openForAll();
        pass(6);
        late(1, 1);
        pass(61);
        assertThat(mayAsk(1)).isFalse();
        Asking trial = circuit.ask(7);
        assertThat(trial.isRefused()).isFalse();
        circuit.succeeded(trial);
        assertThat(mayAsk(1)).as("the circuit of all is closed").isTrue();
    }

    /** The trial of a source may fall into a time when nobody is asked. */
    @Test
    void aTrialThatIsNotMadeIsLeftForLater() {
        late(1, 10);
        for (int i = 0; i < 8; i++) {
            circuit.failed(circuit.ask(2), false);
        }
        pass(4);
        assertThat(mayAsk(1)).isFalse();
        pass(2);
        Asking ofAll = circuit.ask(3);
        assertThat(ofAll.isRefused()).isFalse();
        assertThat(mayAsk(1)).as("the trial of all is under way").isFalse();
        circuit.succeeded(ofAll);
        assertThat(mayAsk(1)).isTrue();
    }

    @Test
    void theSourcesAreBounded() {
        for (int source = 0; source < ServiceCircuit.MAX_SOURCES + 10; source++) {
            circuit.failed(circuit.ask(source), true);
            circuit.succeeded(circuit.ask(-1));
            circuit.succeeded(circuit.ask(-1)); // most requests succeed, so the circuit of all stays closed
        }
        assertThat(circuit.sources()).isEqualTo(ServiceCircuit.MAX_SOURCES);
    }
}
