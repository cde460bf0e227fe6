package io.godwit.broker.tenants;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.broker.settings.ConfigFiles;
import io.godwit.plugin.tenant.TenantSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The table of docs/tenants.md is generated from the list of settings. It is updated in the same way as
 * docs/configuration.md.
 */
class TenantPageTest {
    private static final Path PAGE =
            Path.of(System.getProperty("user.dir")).toAbsolutePath().getParent().resolve("docs/tenants.md");

    @Test
    void theTableIsWrittenFromTheList() throws IOException {
        String page = Files.readString(PAGE);
        String wanted = TenantPage.with(page);
        if (System.getProperty("godwit.config.write") != null) {
            Files.writeString(PAGE, wanted);
        }
        assertThat(PAGE).hasContent(wanted);
        assertThat(wanted).contains("| `maxQos` | `2` | 0 to 2 | connected clients too |");
    }

    @Test
    void defaultsThatAreTheNodesAreKeysOfItsConfiguration() {
        for (TenantSetting each : TenantSetting.values()) {
            if (!each.nodeKey().isEmpty()) {
                assertThat(ConfigFiles.page()).contains("**`" + each.nodeKey() + "`**");
            }
        }
    }

    @Test
    void defaultsAndBoundsAreValidAndWrittenAsTheyAreRead() {
        for (TenantSetting each : TenantSetting.values()) {
            assertThat(TenantSetting.of(each.key())).contains(each);
            for (long value : new long[] {each.min(), each.max()}) {
                assertThat(each.parse(each.text(value))).as(each.key()).isEqualTo(value);
            }
            if (each.nodeKey().isEmpty()) {
                assertThat(each.parse(each.text(each.defaultValue()))).isEqualTo(each.defaultValue());
            }
        }
    }
}
