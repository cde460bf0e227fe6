package io.godwit.perf.load.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.mqtt.MqttConnectReturnCode;
import io.netty.handler.ssl.NotSslRecordException;
import io.vertx.mqtt.MqttConnectionException;
import java.nio.channels.ClosedChannelException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The text for a failed connection says what to change. */
class ErrorsTest {
    private static String told(Throwable thrown) {
        Errors errors = new Errors();
        errors.add("connect", thrown);
        return errors.mostFrequent().orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(
            value = MqttConnectReturnCode.class,
            names = {
                "CONNECTION_REFUSED_NOT_AUTHORIZED",
                "CONNECTION_REFUSED_BAD_USER_NAME_OR_PASSWORD",
                "CONNECTION_REFUSED_NOT_AUTHORIZED_5",
                "CONNECTION_REFUSED_BAD_USERNAME_OR_PASSWORD"
            })
    void aRefusalForTheUserNamesTheOptions(MqttConnectReturnCode code) {
        assertThat(told(new MqttConnectionException(code))).contains("--user and --password");
    }

    @Test
    void anotherRefusalDoesNot() {
        assertThat(told(new MqttConnectionException(MqttConnectReturnCode.CONNECTION_REFUSED_SERVER_UNAVAILABLE)))
                .doesNotContain("--user");
    }

    @Test
    void tlsAgainstAPlainPortIsToldInWords() {
        assertThat(told(new SSLHandshakeException("x").initCause(new ClosedChannelException())))
                .contains("a port that does not speak it")
                .doesNotContain("ChannelException");
        assertThat(told(new NotSslRecordException("not an SSL/TLS record: 2002")))
                .contains("does not speak TLS");
    }
}
