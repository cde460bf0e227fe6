package io.godwit.broker.check;

import io.godwit.broker.effective.BrokerConfig;
import io.godwit.broker.effective.BrokerSettings;
import io.godwit.broker.effective.ListenerSection;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Checks that need the whole configuration: whether the listeners can be opened together. */
final class ListenerCheck {
    private ListenerCheck() {}

    /**
     * Checks the listeners that are on.
     *
     * @param isFlawed whether a section has unreadable values; such a section is skipped
     * @return one line per error, each naming its key
     */
    static List<String> errors(BrokerConfig config, Predicate<String> isFlawed) {
        List<String> errors = new ArrayList<>();
        if (config.listeners().stream().noneMatch(ListenerSection::isEnabled)) {
            errors.add("mqttServerConfig: every listener is switched off");
        }
        List<ListenerSection> enabled = config.listeners().stream()
                .filter(section -> section.isEnabled() && !isFlawed.test(section.path()))
                .toList();
        for (int i = 0; i < enabled.size(); i++) {
            ListenerSection section = enabled.get(i);
            if (BrokerSettings.address(section, config).isUnresolved()) {
                errors.add(section.path() + ".host: unknown host \""
                        + section.keys().host() + "\"");
            }
            errors.addAll(proxyErrors(section));
            if (section.kind().hasTls()) {
                errors.addAll(new TlsCheck(section, config).errors());
            }
            for (ListenerSection other : enabled.subList(0, i)) {
                if (collide(section, other, config)) {
                    errors.add(section.path() + ".port: " + section.port() + " is the port of " + other.path()
                            + " already");
                }
            }
        }
        return errors;
    }

    private static List<String> proxyErrors(ListenerSection section) {
        boolean isEnabled = section.keys().proxyProtocol().enable();
        return isEnabled && section.keys().proxyProtocol().from().isEmpty()
                ? List.of(section.path() + ".proxyProtocol.from: must name the proxies that are believed")
                : List.of();
    }

    private static boolean collide(ListenerSection one, ListenerSection other, BrokerConfig config) {
        int port = one.port();
        if (port == 0 || port != other.port()) {
            return false;
        }
        InetAddress address = BrokerSettings.address(one, config).getAddress();
        InetAddress otherAddress = BrokerSettings.address(other, config).getAddress();
        return address != null
                && otherAddress != null
                && (address.equals(otherAddress) || address.isAnyLocalAddress() || otherAddress.isAnyLocalAddress());
    }
}
