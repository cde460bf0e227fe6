package io.godwit.broker.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.config.key.Check;
import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Place;
import io.godwit.broker.config.key.Section;
import io.godwit.broker.config.key.Unit;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All kinds of keys from all sources, valid and invalid. */
class ConfigSourcesTest {
    /** The form of the files in these tests. */
    public record TestFile(
            @ConfigKey(value = "true") boolean flag,
            @Section Numbers numbers,
            @Section Texts texts,
            @Section(inline = true) Limits limits,
            @Section(needed = true) List<Door> door,
            @Section List<Window> window) {}

    public record Numbers(
            @ConfigKey(value = "7", min = 1, max = 100) int plain,

            @ConfigKey(value = "2MB", min = 1, unit = Unit.BYTES)
            long bytes,

            @ConfigKey(value = "1KB", min = 1024, max = 4096, orZero = true, unit = Unit.BYTES_PER_SECOND)
            int rate,

            @ConfigKey(value = "20", min = 1, max = 86_400, unit = Unit.SECONDS, reload = true)
            int seconds) {}

    public record Texts(
            @ConfigKey String text,
            @ConfigKey(check = Upper.class) String upper,
            @ConfigKey("red") Colour colour,
            @ConfigKey List<String> names,
            @ConfigKey(commas = false) List<Address> addresses,
            @ConfigKey Map<String, Colour> byName) {}

    public record Limits(@ConfigKey(value = "5", min = 0) int most) {}

    public record Door(
            @Place String path,
            @ConfigKey(value = "80", min = 0) int port,
            @ConfigKey(from = "texts.colour") Colour colour,
            @Section(inline = true, from = "") Limits own) {}

    public record Window(
            @Place String path,
            @Section(inline = true, from = "numbers") Shared shared) {}

    public record Shared(
            @ConfigKey(value = "7", min = 1, max = 100) int plain) {}

    public record TestProperties(
            @ConfigKey(name = "kv_size", value = "1MB", unit = Unit.BYTES, min = 0)
            long size) {}

    public enum Colour {
        RED,
        DARK_BLUE
    }

    public record Address(String text) {
        public static Address parse(String text) {
            if (URI.create(text).getHost() == null) {
                throw new IllegalArgumentException("must be an address with a host");
            }
            return new Address(text);
        }
    }

    static final class Upper implements Check {
        @Override
        public String checked(String text) {
            if (!text.chars().allMatch(Character::isUpperCase)) {
                throw new IllegalArgumentException("must be in capital letters");
            }
            return text;
        }
    }

    @TempDir
    Path directory;

    @Test
    void whatNobodyGivesHasItsDefault() throws IOException {
        Loaded<TestFile, TestProperties> loaded = load("", Map.of(), Map.of());

        assertThat(loaded.errors()).isEmpty();
        assertThat(loaded.file().numbers()).isEqualTo(new Numbers(7, 2 << 20, 1024, 20));
        assertThat(loaded.file().texts()).isEqualTo(new Texts("", "", Colour.RED, List.of(), List.of(), Map.of()));
        assertThat(loaded.file().door()).containsExactly(new Door("door", 80, Colour.RED, new Limits(5)));
        assertThat(loaded.file().window()).isEmpty();
        assertThat(loaded.properties().size()).isEqualTo(1 << 20);
        assertThat(loaded.effective())
                .allMatch(Effective::isDefault)
                .allMatch(key -> key.origin().isEmpty());
    }

    @Test
    void theFileIsRead() throws IOException {
        Loaded<TestFile, TestProperties> loaded =
                load("""
                flag: false
                most: 6
                numbers: {plain: 100, bytes: 3 GB, rate: 0, seconds: 2h}
                texts:
                  text: a ${ b
                  colour: dark-blue
                  names: a, b
                  addresses: [http://a/1, http://b/2]
                  byName: x=red,y=dark-blue
                door:
                - {port: 1}
                - {colour: red}
                window: {}
                """.replace("${ b", "$${ b"), Map.of("kv_size", "2MiB"), Map.of());

        assertThat(loaded.errors()).isEmpty();
        assertThat(loaded.file().numbers()).isEqualTo(new Numbers(100, 3L << 30, 0, 7200));
        assertThat(loaded.file().texts())
                .isEqualTo(new Texts(
                        "a ${ b",
                        "",
                        Colour.DARK_BLUE,
                        List.of("a", "b"),
                        List.of(new Address("http://a/1"), new Address("http://b/2")),
                        Map.of("x", Colour.RED, "y", Colour.DARK_BLUE)));
        assertThat(loaded.file().door())
                .containsExactly(
                        new Door("door[0]", 1, Colour.DARK_BLUE, new Limits(5)),
                        new Door("door[1]", 80, Colour.RED, new Limits(5)));
        assertThat(loaded.file().window()).containsExactly(new Window("window", new Shared(100)));
        assertThat(loaded.properties().size()).isEqualTo(2 << 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "flag: yes | flag: must be true or false, was \"yes\" (line 1)",
                "numbers: {plain: 1KB} | numbers.plain: must be a whole number, was \"1KB\" (line 1)",
                "numbers: {plain: 101} | numbers.plain: must be from 1 to 100, was \"101\" (line 1)",
                "numbers: {bytes: 0} | numbers.bytes: must be from 1 to 9223372036854775807, was \"0\" (line 1)",
                "numbers: {bytes: 2 MBit} | numbers.bytes: must be a whole number, or one with KB, MB, GB or TB,"
                        + " was \"2 MBit\" (line 1)",
                "numbers: {bytes: 9000000TB} | numbers.bytes: must be less than 2^63 bytes, was \"9000000TB\" (line 1)",
                "numbers: {bytes: 1.5MB} | numbers.bytes: must be a whole number, or one with KB, MB, GB or TB,"
                        + " was \"1.5MB\" (line 1)",
                "numbers: {rate: 1} | numbers.rate: must be 0, or from 1024 to 4096, was \"1\" (line 1)",
                "numbers: {rate: 4GB} | numbers.rate: must be 0, or from 1024 to 4096, was \"4GB\" (line 1)",
                "numbers: {seconds: 2d} | numbers.seconds: must be from 1 to 86400, was \"2d\" (line 1)",
                "numbers: {seconds: 1MB} | numbers.seconds: must be a whole number, or one with s, m, h or d,"
                        + " was \"1MB\" (line 1)",
                "texts: {upper: Abc} | texts.upper: must be in capital letters, was \"Abc\" (line 1)",
                "texts: {colour: blue} | texts.colour: must be one of red, dark-blue, was \"blue\" (line 1)",
                "texts: {colour: [red]} | texts.colour: must be a single value (line 1)",
                "texts: {names: [{a: b}]} | texts.names: must be a single value or a list of them (line 1)",
                "texts: {addresses: x} | texts.addresses: must be an address with a host, was \"x\" (line 1)",
                "texts: {byName: a} | texts.byName: must be name=value,name=value,... but has \"a\","
                        + " was \"a\" (line 1)",
                "texts: {byName: 'a=red,a=red'} | texts.byName: must name a once, was \"a=red,a=red\" (line 1)",
                "texts: red | texts: must hold keys, not a value (line 1)",
                "door: red | door: must hold keys, or be a list of such (line 1)",
                "door: [red] | door[0]: must hold keys (line 1)",
                "door: [{prt: 1}] | door[0].prt: unknown key (line 1), the nearest valid one is door[0].port",
                "numbers: {second: 1} | numbers.second: unknown key (line 1), the nearest valid one is numbers.seconds",
                "number: {plain: 1} | number: unknown key (line 1), the nearest valid one is numbers",
                "'{flag: true, flag: true}' | flag: given twice (line 1)",
                "texts: {text: '${NONE}'} | texts.text: needs the environment variable NONE, which is not set (line 1)",
                "texts: {text: '${1}'} | texts.text: names a variable of the environment as ${NAME} or"
                        + " ${NAME:-default}, and ${ itself as $${ (line 1)",
                "numbers: {plain: '${WORD}'} | numbers.plain: must be a whole number, was \"many\" (line 1, ${WORD})",
            })
    void aWrongValueIsToldWithItsPlace(String yaml, String error) throws IOException {
        assertThat(load(yaml, Map.of(), Map.of("WORD", "many")).errors()).containsExactly(error);
    }

    @Test
    void aValueMayNameTheEnvironment() throws IOException {
        Map<String, String> environment = Map.of("A", "1", "EMPTY", "", "NESTED", "${A}", "YAML", "{a: [b]}");
        Texts texts = load("""
                        texts:
                          text: "${A}-${EMPTY}-${EMPTY:-b}-${MISSING:-c}-${NESTED}-${YAML}"
                          names: ["${A}", "x${MISSING:-}"]
                        """, Map.of(), environment).file().texts();

        assertThat(texts.text()).isEqualTo("1--b-c-${A}-{a: [b]}");
        assertThat(texts.names()).containsExactly("1", "x");
    }

    @Test
    void theEnvironmentHasTheLastWordOverTheFile() throws IOException {
        Loaded<TestFile, TestProperties> loaded = load(
                """
                        numbers: {plain: 2, seconds: 3}
                        texts: {text: "${HOME_OF_A}"}
                        door: [{port: 1}, {port: 2}]
                        """,
                Map.of(),
                Map.of(
                        "GODWIT_NUMBERS_PLAIN", "4",
                        "GODWIT_NUMBERS_SECONDS", "",
                        "GODWIT_DOOR_1_PORT", "5",
                        "GODWIT_WINDOW_PLAIN", "6",
                        "GODWIT_TEXTS_BY_NAME", "x=red",
                        "GODWIT_KV_SIZE", "2MB",
                        "GODWIT_OF_OTHERS", "x",
                        "HOME_OF_A", "a"));

        assertThat(loaded.errors()).isEmpty();
        assertThat(loaded.file().numbers().plain()).isEqualTo(4);
        assertThat(loaded.file().numbers().seconds()).isEqualTo(3);
        assertThat(loaded.file().door()).extracting(Door::port).containsExactly(1, 5);
        assertThat(loaded.file().window()).containsExactly(new Window("window", new Shared(6)));
        assertThat(loaded.file().texts().byName()).isEqualTo(Map.of("x", Colour.RED));
        assertThat(loaded.properties().size()).isEqualTo(2 << 20);
        assertThat(loaded.effective())
                .filteredOn(key -> !key.isDefault())
                .extracting(key -> key + " from " + key.origin())
                .containsExactly(
                        "numbers.plain=4 from environment variable GODWIT_NUMBERS_PLAIN",
                        "numbers.seconds=3 from line 1",
                        "texts.text=a from line 2, ${HOME_OF_A}",
                        "texts.byName=x=red from environment variable GODWIT_TEXTS_BY_NAME",
                        "door[0].port=1 from line 3",
                        "door[1].port=5 from environment variable GODWIT_DOOR_1_PORT",
                        "window.plain=6 from environment variable GODWIT_WINDOW_PLAIN",
                        "kv_size=2097152 from environment variable GODWIT_KV_SIZE");
    }

    @Test
    void aSystemPropertyHasTheLastWordOverTheEnvironment() throws IOException {
        assertThat(load("", Map.of("kv_size", "3"), Map.of("GODWIT_KV_SIZE", "4"))
                        .properties()
                        .size())
                .isEqualTo(3);
    }

    @Test
    void whatIsWrongInTheEnvironmentIsTold() throws IOException {
        assertThat(load(
                                "door: [{port: 1}]",
                                Map.of("kv_siz", "1"),
                                Map.of(
                                        "GODWIT_NUMBERS_PLAIM", "4",
                                        "GODWIT_NUMBERS_PLAIN", "x",
                                        "GODWIT_DOOR_PORT", "5",
                                        "GODWIT_DOOR_1_PORT", "5",
                                        "GODWIT_DOOR_0_PRT", "5"))
                        .errors())
                .containsExactlyInAnyOrder(
                        "GODWIT_NUMBERS_PLAIM: unknown environment variable, the nearest valid one is"
                                + " GODWIT_NUMBERS_PLAIN",
                        "numbers.plain: must be a whole number, was \"x\" (environment variable GODWIT_NUMBERS_PLAIN)",
                        "GODWIT_DOOR_PORT: there is no door in the file, only [door[0]]",
                        "GODWIT_DOOR_1_PORT: there is no door[1] in the file, only [door[0]]",
                        "GODWIT_DOOR_0_PRT: unknown environment variable, the nearest valid one is GODWIT_DOOR_PORT",
                        "kv_siz: unknown system property, the nearest valid one is kv_size");
    }

    /**
     * Kubernetes derives variables from the names of services; a service named godwit, godwit-headless or the like must
     * not keep its own pods from starting.
     */
    @Test
    void whatKubernetesMakesOfTheNamesOfServicesIsNotMeantForUs() throws IOException {
        Loaded<TestFile, TestProperties> loaded = load(
                "",
                Map.of(),
                Map.of(
                        "GODWIT_SERVICE_HOST", "10.0.0.1",
                        "GODWIT_SERVICE_PORT", "1883",
                        "GODWIT_SERVICE_PORT_MQTT", "1883",
                        "GODWIT_PORT", "tcp://10.0.0.1:1883",
                        "GODWIT_PORT_1883_TCP", "tcp://10.0.0.1:1883",
                        "GODWIT_PORT_1883_TCP_ADDR", "10.0.0.1",
                        "GODWIT_HEADLESS_PORT", "tcp://10.0.0.1:1883",
                        "GODWIT_HEADLESS_PORT_8899_TCP_PROTO", "tcp"));

        assertThat(loaded.errors()).isEmpty();
        assertThat(loaded.effective()).allMatch(Effective::isDefault);
    }

    private Loaded<TestFile, TestProperties> load(
            String yaml, Map<String, String> properties, Map<String, String> environment) throws IOException {
        Path file = directory.resolve("test.yml");
        Files.writeString(file, yaml);
        return new ConfigSources<>(TestFile.class, TestProperties.class, Set.of("kv_"), Set.of("GODWIT_OF_OTHERS"))
                .load(file, properties, environment);
    }
}
