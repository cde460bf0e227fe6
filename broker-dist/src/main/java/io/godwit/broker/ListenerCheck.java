package io.godwit.broker;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What can only be judged once all of the configuration has been read: whether the listeners can be opened, beside one
 * another.
 */
final class ListenerCheck {
    private ListenerCheck() {}

    /**
     * One line per error, each naming its key.
     *
     * @param flawed those whose own values could not all be read: nothing more is said of them
     */
    static List<String> errors(BrokerConfig config, Set<ListenerSection> flawed) {
        List<String> errors = new ArrayList<>();
        if (config.listeners().stream().noneMatch(ListenerSection::isEnabled)) {
            errors.add("mqttServerConfig: every listener is switched off");
        }
        List<ListenerSection> enabled = config.listeners().stream()
                .filter(section -> section.isEnabled() && !flawed.contains(section))
                .toList();
        for (int i = 0; i < enabled.size(); i++) {
            ListenerSection section = enabled.get(i);
            if (BrokerSettings.address(section, config).isUnresolved()) {
                errors.add(section.path() + ".host: unknown host \"" + section.get(ListenerSettings.HOST) + "\"");
            }
            errors.addAll(proxyErrors(section));
            if (section.kind().hasTls()) {
                errors.addAll(new TlsCheck(section, config).errors());
            }
            for (ListenerSection other : enabled.subList(0, i)) {
                if (collide(section, other, config)) {
                    errors.add(section.path() + ".port: "
                            + section.get(section.kind().port()) + " is the port of " + other.path() + " already");
                }
            }
        }
        return errors;
    }

    private static List<String> proxyErrors(ListenerSection section) {
        boolean isEnabled = section.get(ListenerSettings.PROXY_ENABLE);
        return isEnabled && section.get(ListenerSettings.PROXY_FROM).isEmpty()
                ? List.of(section.path() + ".proxyProtocol.from: must name the proxies that are believed")
                : List.of();
    }

    private static boolean collide(ListenerSection one, ListenerSection other, BrokerConfig config) {
        int port = one.get(one.kind().port());
        if (port == 0 || port != other.get(other.kind().port())) {
            return false;
        }
        InetAddress address = BrokerSettings.address(one, config).getAddress();
        InetAddress otherAddress = BrokerSettings.address(other, config).getAddress();
        return address != null
                && otherAddress != null
                && (address.equals(otherAddress) || address.isAnyLocalAddress() || otherAddress.isAnyLocalAddress());
    }
}
