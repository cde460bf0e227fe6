package io.godwit.it.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.it.broker.BrokerProcess;
import io.godwit.testing.Await;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A fleet whose devices share one user and password comes back at once, as after a restart of the network. */
@Tag("full")
@Tag("alone")
class LoginHerdTest {
    private static final int CLIENTS = 600;

    @TempDir
    private Path directory;

    private Path passwords() throws IOException, InterruptedException {
        Path file = directory.resolve("passwd");
        ProcessBuilder builder = new ProcessBuilder(
                        BrokerProcess.distribution()
                                .resolve("bin/godwit-passwd")
                                .toString(),
                        "--file",
                        file.toString(),
                        "add",
                        "fleet")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("passwd.out").toFile());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().write("grutto\n".getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().close();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(directory.resolve("passwd.out")))
                .isZero();
        return file;
    }

    /** MQTT 3.1.1, with a user name and a password. */
    private static byte[] connect(String clientId) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream body = new DataOutputStream(bytes)) {
            body.writeUTF("MQTT");
            body.writeByte(4);
            body.writeByte(0b1100_0010);
            body.writeShort(0);
            body.writeUTF(clientId);
            body.writeUTF("fleet");
            body.writeUTF("grutto");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        byte[] packet = new byte[2 + bytes.size()]; // below 128 bytes
        packet[0] = 0x10;
        packet[1] = (byte) bytes.size();
        System.arraycopy(bytes.toByteArray(), 0, packet, 2, bytes.size());
        return packet;
    }

    @Test
    void allClientsCanLogIn() throws Exception {
        String auth = "{provider: file, file: " + passwords() + "}";
        try (BrokerProcess broker =
                new BrokerProcess(directory.resolve("broker")).longLived().setting("authConfig", auth)) {
            broker.start();
            AtomicInteger accepted = new AtomicInteger();
            AtomicInteger refused = new AtomicInteger();
            try (Swarm swarm = new Swarm()) {
                long begin = System.nanoTime();
                swarm.open(broker.address(), CLIENTS, number -> new Swarm.Manner() {
                    @Override
                    public void opened(Swarm.Peer peer) {
                        peer.send(connect("device-" + number));
                    }

                    @Override
                    public void received(Swarm.Peer peer, ByteBuf bytes) {
                        (bytes.getByte(bytes.readerIndex() + 3) == 0 ? accepted : refused).incrementAndGet();
                    }
                });
                Await.until("all answered", () -> accepted.get() + refused.get() == CLIENTS);
                System.out.printf(
                        "login herd: %d accepted, %d refused in %d ms%n",
                        accepted.get(), refused.get(), (System.nanoTime() - begin) / 1_000_000);
                assertThat(accepted).hasValue(CLIENTS);
                assertThat(swarm.closed()).isZero();
            }
        }
    }
}
