"""A DynamoDB on this machine, as a child process: for trials, development and tests.

It is dynoxide if its binary is installed, else moto's server, which keeps data in memory only.
On Linux no engine outlives the process that started it, however that one ends.
"""
