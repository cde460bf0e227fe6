package io.godwit.broker.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.effective.AuthProviders;
import io.godwit.plugin.auth.AuthProviderFactory;
import io.godwit.plugin.tenant.TenantSetting;
import io.godwit.testing.DocumentPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The table of EMQX's settings in {@code docs/migrate.md} names settings of ours that exist. The names are those of
 * {@code docs/configuration.md}, which is written from the records, and those of tenants; options of commands are for
 * {@code PageCommandsTest}, metrics for {@code PageMetricsTest}.
 */
class MigratePageTest {
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (.+?) \\| (.+?) \\|$");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern STATED = Pattern.compile("(?m)^\\*\\*`([^`]+)`\\*\\*");
    private static final Pattern OF_A_TENANT = Pattern.compile("of a \\[?tenant");
    private static final Pattern SETTING = Pattern.compile("([A-Za-z.]+): (\\S+)");

    /** The keys of the reference, and the sections that they are in. */
    private static final Set<String> KEYS = new TreeSet<>();

    private static final Set<String> PROVIDERS = new TreeSet<>(Set.of(AuthProviders.FILE, AuthProviders.ALLOW_ALL));

    @BeforeAll
    static void readTheReference() throws IOException {
        Matcher stated =
                STATED.matcher(DocumentPage.read("docs/configuration.md").text());
        while (stated.find()) {
            String path = stated.group(1);
            KEYS.add(path);
            for (int dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
                KEYS.add(path.substring(0, dot));
            }
        }
        ServiceLoader.load(AuthProviderFactory.class).forEach(factory -> PROVIDERS.add(factory.name()));
    }

    @Test
    void theNamesInTheTableOfEmqxExist() throws IOException {
        String page = DocumentPage.read("docs/migrate.md").text();
        Matcher row = ROW.matcher(page.substring(page.indexOf("\n## EMQX"), page.indexOf("\n## Move")));
        List<String> unknown = new ArrayList<>();
        int found = 0;
        while (row.find()) {
            for (String name : names(row.group(2))) {
                found++;
                if (!isThere(name, row.group(2))) {
                    unknown.add(row.group() + ": " + name);
                }
            }
        }

        assertThat(unknown).isEmpty();
        assertThat(found).isGreaterThan(20);
    }

    @Test
    void whatIsNotThereIsFound() {
        for (String wrong : List.of(
                "`sessionConfig.maxQueue`",
                "`maxQueuedMessages`",
                "`authConfig.provider: ldap`",
                "`topicConfig.rewrite`, `maxPacketBytes`",
                "the provider `ldap`",
                "`maxQoS` of a tenant",
                "`bin/godwit-ctl`")) {
            assertThat(names(wrong)).as(wrong).anyMatch(name -> !isThere(name, wrong));
        }
    }

    private static List<String> names(String cell) {
        return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
    }

    /**
     * @param name a key by its path, or below a section that the cell names before; a key and its value; a provider; a
     *     setting of a tenant; a program with its arguments
     */
    private static boolean isThere(String name, String cell) {
        if (name.startsWith("bin/")) {
            return Files.isExecutable(Path.of(System.getProperty("godwit.root"), name.replaceFirst(" .*", "")));
        }
        Matcher setting = SETTING.matcher(name);
        if (setting.matches()) {
            return KEYS.contains(setting.group(1))
                    && (!setting.group(1).equals("authConfig.provider") || PROVIDERS.contains(setting.group(2)));
        }
        if (cell.contains("provider")) {
            return PROVIDERS.contains(name);
        }
        if (OF_A_TENANT.matcher(cell).find()) {
            return TenantSetting.of(name).isPresent();
        }
        return KEYS.contains(name) || sections(cell).stream().anyMatch(section -> KEYS.contains(section + "." + name));
    }

    /** The sections of the keys in a cell. Listeners of all kinds have the keys of those for TCP. */
    private static Set<String> sections(String cell) {
        Set<String> sections = names(cell).stream()
                .filter(KEYS::contains)
                .map(key -> key.replaceFirst("\\.[A-Za-z0-9]+$", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        if (cell.contains("of a listener")) {
            sections.add("mqttServerConfig.tcpListener");
        }
        return sections;
    }
}
