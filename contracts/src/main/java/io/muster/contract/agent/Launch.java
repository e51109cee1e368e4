package io.muster.contract.agent;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What to start.
 *
 * @param workingDir absolute path, or null for the attempt's own folder
 * @param env the user's variables; reserved names were refused at submission
 * @param client the ranks use the Muster client: the gang is running when all ranks have said hello
 */
public record Launch(
        List<String> command,
        List<String> args,
        @Nullable String workingDir,
        Map<String, String> env,
        EnvProfile envProfile,
        boolean client) {

    public Launch {
        command = List.copyOf(command);
        args = List.copyOf(args);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }
}
