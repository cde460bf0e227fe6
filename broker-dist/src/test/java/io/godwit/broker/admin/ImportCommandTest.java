package io.godwit.broker.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ImportCommandTest {
    @TempDir
    private Path directory;

    private ApiRun run(String text, String... more) throws Exception {
        Path file = Files.writeString(directory.resolve("in"), text);
        String[] args = new String[7 + more.length];
        System.arraycopy(
                new String[] {
                    "config",
                    "import",
                    "--from",
                    "mosquitto",
                    file.toString(),
                    "--to",
                    directory.resolve("out.yml").toString()
                },
                0,
                args,
                0,
                7);
        System.arraycopy(more, 0, args, 7, more.length);
        return ApiRun.of(args);
    }

    @Test
    void tellsLineByLineAndByItsExitCode() throws Exception {
        ApiRun whole = run("listener 1883\nallow_anonymous true\n");
        assertThat(whole.code()).as(whole.err()).isZero();
        assertThat(whole.out())
                .contains(
                        "line 1: listener: taken: mqttServerConfig.tcpListener[0].port: 1883\n",
                        "line 2: allow_anonymous: taken: authConfig.provider: allow-all\n",
                        "written: " + directory.resolve("out.yml"));
        assertThat(directory.resolve("out.yml")).content().contains("provider: allow-all");
        Files.delete(directory.resolve("out.yml"));

        ApiRun part = run("listener 1883\nallow_anonymous true\nconnection cloud\nremote_password x\n");
        assertThat(part.code()).isEqualTo(8);
        assertThat(part.out()).contains("line 4: remote_password: left out: there are no bridges here\n");
    }

    @Test
    void nothingIsOverwritten() throws Exception {
        Files.writeString(directory.resolve("passwd"), "mine");
        ApiRun refused = run("listener 1883\npassword_file nowhere\n");
        assertThat(refused.code()).isEqualTo(4);
        assertThat(refused.err()).contains("passwd is there already");
        assertThat(directory.resolve("out.yml")).doesNotExist();
        assertThat(directory.resolve("passwd")).hasContent("mine");
    }

    @Test
    void theDirectoryIsCreated() throws Exception {
        Path file = Files.writeString(directory.resolve("in"), "listener 1883\nallow_anonymous true\n");
        Path to = directory.resolve("site/new/standalone.yml");
        ApiRun run = ApiRun.of("config", "import", "--from", "mosquitto", file.toString(), "--to", to.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(to).content().contains("provider: allow-all");
    }

    @Test
    void whatItWritesIsForItsUser() throws Exception {
        assertThat(run("listener 1883\npassword_file nowhere\n", "--json").code())
                .isEqualTo(8);
        for (String name : new String[] {"out.yml", "passwd"}) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve(name))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void programsAreToldByJson() throws Exception {
        ApiRun run = run("listener 1883\nallow_anonymous true\n", "--json");
        JsonObject first = JsonParser.parseString(run.out())
                .getAsJsonObject()
                .getAsJsonArray("lines")
                .get(0)
                .getAsJsonObject();
        assertThat(first.get("outcome").getAsString()).isEqualTo("taken");
        assertThat(first.get("line").getAsInt()).isEqualTo(1);
    }

    @Test
    void wrongFilesAreRefusedInWords() throws Exception {
        ApiRun refused = run("\u001b[31m<html>\n");
        assertThat(refused.code()).isEqualTo(4);
        assertThat(refused.err()).contains("is no line of mosquitto.conf").doesNotContain("\u001b");
        assertThat(ApiRun.of("config", "import", "--from", "emqx", "x").code()).isEqualTo(2);
        assertThat(ApiRun.of("config", "import", "x").code()).isEqualTo(2);
    }
}
