package io.godwit.broker.admin.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalApiTest {
    private static final long SELF = ProcessHandle.current().pid();

    @TempDir
    private Path data;

    private static InetSocketAddress at(String address) throws Exception {
        return new InetSocketAddress(InetAddress.getByName(address), 8091);
    }

    @Test
    void theFileTellsWhereTheApiIs() throws Exception {
        LocalApi written = LocalApi.of(SELF, at("0.0.0.0"), Optional.of(Path.of("api.crt")));
        written.write(data);
        written.write(data);
        assertThat(LocalApi.read(data)).isEqualTo(written);
        assertThat(written.url()).isEqualTo(URI.create("https://127.0.0.1:8091"));
        assertThat(written.certificate().orElseThrow()).isAbsolute();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("godwit.api"))))
                .isEqualTo("rw-------");
        LocalApi.remove(data);
        LocalApi.remove(data);
        assertThat(data).isEmptyDirectory();
        assertThat(LocalApi.of(SELF, at("::1"), Optional.empty()).url())
                .isEqualTo(URI.create("http://[0:0:0:0:0:0:0:1]:8091"));
    }

    /** Another process may use the port by now, and would receive the token. */
    @Test
    void theFileOfABrokerThatWasKilledDoesNotCount() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();
        LocalApi.of(gone.pid(), at("127.0.0.1"), Optional.empty()).write(data);
        AdminException refused = catchThrowableOfType(AdminException.class, () -> LocalApi.read(data));
        assertThat(refused).hasMessageContaining("no broker runs on");
        assertThat(refused.kind()).isEqualTo(Kind.UNREACHABLE);
    }

    @Test
    void aFileThatIsMissingOrDamagedIsNamed() throws Exception {
        assertThatThrownBy(() -> LocalApi.read(data)).hasMessageContaining("no broker with an HTTP API");
        assertThatThrownBy(() -> LocalApi.read(data.resolve("x"))).hasMessageContaining("there is no data directory");
        for (String text : new String[] {"", "url=http://a", "pid=x\nurl=http://a", "pid=1\nurl=http://a b"}) {
            Files.writeString(data.resolve("godwit.api"), text);
            assertThatThrownBy(() -> LocalApi.read(data)).as(text).hasMessageContaining("godwit.api");
        }
    }
}
