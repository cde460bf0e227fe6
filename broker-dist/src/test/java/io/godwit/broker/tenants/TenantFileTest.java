package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.broker.config.ConfigException;
import io.godwit.plugin.client.TenantId;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.plugin.tenant.TenantSettings;
import io.godwit.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TenantFileTest {
    private static final TenantId BIRDS = new TenantId("birds");
    private static final TenantId FISH = new TenantId("fish");

    @TempDir
    private Path directory;

    private Path file(String text) throws IOException {
        return Files.writeString(directory.resolve("tenants.yml"), text);
    }

    private Map<TenantId, TenantSettings> read(String text) throws Exception {
        return TenantFile.read(file(text));
    }

    private List<String> errors(String text) throws IOException {
        Path file = file(text);
        return catchThrowableOfType(ConfigException.class, () -> TenantFile.read(file))
                .errors();
    }

    @Test
    void whatATenantDoesNotSayTheDefaultsSay() throws Exception {
        Map<TenantId, TenantSettings> said = read("""
                defaults: {maxQos: 1, retain: false}
                tenants:
                  birds:
                  fish:
                    maxQos: 0
                    overflowPolicy: drop-oldest
                    protocols: [3.1.1, 5.0]
                """);
        assertThat(said.get(BIRDS))
                .isEqualTo(TenantSettings.builder()
                        .set(TenantSetting.MAX_QOS, 1)
                        .set(TenantSetting.RETAIN, false)
                        .build());
        assertThat(said.get(FISH))
                .isEqualTo(TenantSettings.builder()
                        .set(TenantSetting.MAX_QOS, 0)
                        .set(TenantSetting.RETAIN, false)
                        .set(TenantSetting.OVERFLOW_POLICY, 1)
                        .set(TenantSetting.PROTOCOLS, 6)
                        .build());
        assertThat(said).hasSize(2);
    }

    @Test
    void anEmptyFileListsNobody() throws Exception {
        assertThat(read("")).isEmpty();
        assertThat(read("tenants:\n")).isEmpty();
        assertThat(read("# nothing\n")).isEmpty();
    }

    @Test
    void allMistakesAreToldAtOnceWithTheirLines() throws Exception {
        assertThat(errors("""
                defaults:
                  maxQos: 3
                tenant: {}
                tenants:
                  birds:
                    maxQoz: 1
                    retain: yes please
                    protocols: 4.0
                    receiveMaximum: [1]
                    maxFilters: 1
                    maxFilters: 2
                  "bi rds": {}
                  fish: 7
                  cats: {minExpirySeconds: 10, maxExpirySeconds: 5}
                """))
                .containsExactlyInAnyOrder(
                        "tenants.yml: defaults.maxQos: must be 0 to 2, was \"3\" (line 2)",
                        "tenants.yml: tenant: unknown key (line 3), the nearest valid one is tenants",
                        "tenants.yml: tenants.birds.maxQoz: unknown key (line 6), the nearest valid one is maxQos",
                        "tenants.yml: tenants.birds.retain: must be true or false, was \"yes please\" (line 7)",
                        "tenants.yml: tenants.birds.protocols: must be out of 3.1, 3.1.1, 5.0, was \"4.0\" (line 8)",
                        "tenants.yml: tenants.birds.receiveMaximum: must be a single value (line 9)",
                        "tenants.yml: tenants.birds.maxFilters: given twice (line 11)",
                        "tenants.yml: tenants.bi rds: a tenant has 1 to 64 letters, digits, '-', '_' and '.' (line 12)",
                        "tenants.yml: tenants.fish: must hold keys, not a value (line 13)",
                        "tenants.yml: tenants.cats.minExpirySeconds: is more than maxExpirySeconds (line 14)");
    }

    @Test
    void whatIsNoFileOfTenantsIsSaidSo() throws Exception {
        assertThat(errors("- a\n")).containsExactly("tenants.yml: must hold defaults and tenants (line 1)");
        assertThat(errors("tenants: {")).singleElement().asString().startsWith("tenants.yml: not valid YAML:");
        Files.write(directory.resolve("latin.yml"), new byte[] {'#', (byte) 0xE9, '\n'});
        ConfigException latin =
                catchThrowableOfType(ConfigException.class, () -> TenantFile.read(directory.resolve("latin.yml")));
        assertThat(latin.errors()).containsExactly("latin.yml: is not UTF-8");
        ConfigException missing =
                catchThrowableOfType(ConfigException.class, () -> TenantFile.read(directory.resolve("none.yml")));
        assertThat(missing.errors()).singleElement().asString().contains("no such file");
    }

    @Test
    void sizesAreBounded() throws Exception {
        StringBuilder many = new StringBuilder("tenants:\n");
        for (int i = 0; i <= TenantFile.MAX_TENANTS; i++) {
            many.append("  t").append(i).append(":\n");
        }
        assertThat(errors(many.toString())).singleElement().asString().contains("one more than the 10000 tenants");
        assertThat(errors("#".repeat(TenantFile.MAX_BYTES + 1)))
                .containsExactly("tenants.yml: has more than 2097152 bytes");
        StringBuilder wrong = new StringBuilder("tenants:\n");
        for (int i = 0; i < 150; i++) {
            wrong.append("  t").append(i).append(": {x: 1}\n");
        }
        assertThat(errors(wrong.toString())).hasSize(101).last().isEqualTo("tenants.yml: ... and 50 more");
    }

    @Test
    void aChangedFileCountsAndOneWithAMistakeDoesNot() throws Exception {
        Path file = file("tenants: {birds: {}}");
        List<Map<TenantId, TenantSettings>> taken = new CopyOnWriteArrayList<>();
        List<List<String>> warned = new CopyOnWriteArrayList<>();
        try (TenantFileWatch watch = new TenantFileWatch(file, taken::add, warned::add)) {
            watch.start();
            assertThat(taken).hasSize(1);
            file("tenants: {birds: {maxQos: 9}}");
            Await.until("the mistake is told", () -> !warned.isEmpty());
            assertThat(warned.get(0)).singleElement().asString().contains("tenants.birds.maxQos", "line 1");
            assertThat(taken).hasSize(1);
            file("tenants: {birds: {maxQos: 1}, fish: {}}");
            Await.until("it is taken over", () -> taken.size() == 2);
            assertThat(taken.get(1)).containsOnlyKeys(BIRDS, FISH);
            Await.until("the warning is gone", () -> warned.size() == 2);
            assertThat(warned.get(1)).isEmpty();
        }
    }
}
